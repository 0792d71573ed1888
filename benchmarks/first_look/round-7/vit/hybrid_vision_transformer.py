# %% wrong: every cell a patch
# patch_size is not passed on; the patches are single cells. Shows for patch_size above 1: T and the weights' shapes.


class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, 1, d_model, num_heads, num_layers, d_ff, num_classes, pool, num_channels=feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: a square map
# Only the height of feature_size is passed on. Shows for a feature map that is not square: it is refused.


class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size[0], patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: always the first token
# forward reads token 0 itself, whatever pool says. Shows for "last" and "mean".


class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool=pool,
            num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, 0])


# %% wrong: a Vision Transformer by inheritance
# The numbers are right, but there is no part `transformer`: its parameters have other names in the state_dict.


class HybridVisionTransformer(VisionTransformer):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        self.backbone = backbone

    def encode(self, images: Tensor) -> Tensor:
        return VisionTransformer.encode(self, self.backbone(images))


# %% correct: everything passed on by name


class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.add_module("backbone", backbone)
        sizes = {"patch_size": patch_size, "d_model": d_model, "num_heads": num_heads, "num_layers": num_layers}
        sizes |= {"d_ff": d_ff, "num_classes": num_classes, "num_channels": feature_channels, "pool": pool}
        self.add_module("transformer", VisionTransformer(image_size=tuple(feature_size), **sizes))

    def encode(self, images: Tensor) -> Tensor:
        return self.through(images, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self.through(images, self.transformer)

    def through(self, images: Tensor, last):
        for stage in (self.backbone, last):
            images = stage(images)
        return images


# %% correct: pooled once more by hand


class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        self.read = {"mean": slice(None), "last": slice(-1, None)}.get(pool, slice(0, 1))

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, self.read].mean(dim=1))
