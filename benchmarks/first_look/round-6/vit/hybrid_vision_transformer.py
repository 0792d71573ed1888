# %% wrong: the pool is not handed on
# pool is taken by the constructor and forgotten: the transformer inside always reads a class token.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, num_channels=feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: layers and heads are exchanged
# The arguments are handed on by place, with num_layers before num_heads. With as many layers as heads
# nothing shows.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_layers, num_heads, d_ff, num_classes, pool, feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: forward reads token 0 for every pool
# The logits are made here from the first token that encode gives. That is right for "class" and
# "first"; "last" and "mean" read the wrong one.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size,
            patch_size,
            d_model,
            num_heads,
            num_layers,
            d_ff,
            num_classes,
            pool=pool,
            num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, 0])


# %% wrong: the image is patched and not the feature map
# forward goes through the backbone, but encode hands the image itself to the transformer, which refuses
# it or, where the sizes happen to fit, reads pixels.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(images)

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.forward(self.backbone(images))


# %% wrong: the hybrid is a transformer and has none inside
# It inherits from VisionTransformer, so its parts are called patches, encoder and so on; there is no
# part `transformer`, and its state_dict has other names.

class HybridVisionTransformer(VisionTransformer):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        self.backbone = backbone

    def encode(self, images: Tensor) -> Tensor:
        return super().encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return super().forward(images)


# %% correct: a chain of two modules with names

class HybridVisionTransformer(nn.Sequential):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        self.add_module("backbone", backbone)
        sizes = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff}
        reader = VisionTransformer(
            image_size=feature_size,
            patch_size=patch_size,
            num_classes=num_classes,
            pool=pool,
            num_channels=feature_channels,
            **sizes,
        )
        self.add_module("transformer", reader)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return super().forward(images)


# %% correct: one helper that swaps the picture for its features

class HybridVisionTransformer(nn.Module):
    def __init__(
        self,
        backbone,
        feature_channels,
        feature_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
    ):
        super().__init__()
        height, width = feature_size
        settings = (height, width), patch_size, d_model, num_heads, num_layers, d_ff, num_classes
        self.transformer = VisionTransformer(*settings, pool, feature_channels)
        self.backbone = backbone

    def _over_features(self, method, images):
        return method(self.backbone(images))

    def encode(self, images: Tensor) -> Tensor:
        return self._over_features(self.transformer.encode, images)

    def forward(self, images: Tensor) -> Tensor:
        return self._over_features(self.transformer, images)
