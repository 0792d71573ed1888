# %% wrong: the feature map is taken for square
# Only the height of feature_size is handed on.
# Promise: feature_size = (h, w) takes the image's place. Shows for h and w that differ: ValueError for the right maps.

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
            feature_size[0], patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, num_channels=feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: the classes are always read from token 0
# forward takes the first token of encode, whatever the pool is.
# Promise: logits as in VisionTransformer, read from what pool says. Shows for pool="last" and pool="mean".

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, num_channels=feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        return self.transformer.head(tokens[:, 0])


# %% wrong: the backbone is frozen, as in chapter 03
# The features are computed without gradients.
# Promise: gradients flow through it where its result belongs to a model; the text freezes nothing. Shows in backward: the backbone's parameters get none.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, num_channels=feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            features = self.backbone(images)
        return self.transformer(features)


# %% wrong: other sizes are made to fit
# The feature map is pooled to feature_size, which changes nothing where it fits already.
# Promise: as in VisionTransformer, ValueError where the map is not of the size that was said. Shows for images twice as large.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, num_channels=feature_channels
        )
        self.feature_size = tuple(feature_size)

    def features(self, images):
        return F.adaptive_avg_pool2d(self.backbone(images), self.feature_size)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% correct: one chain of two modules

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
        arguments = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff}
        arguments |= {"num_classes": num_classes, "pool": pool, "num_channels": feature_channels}
        parts = {"backbone": backbone, "transformer": VisionTransformer(tuple(feature_size), patch_size, **arguments)}
        for name, part in parts.items():
            self.add_module(name, part)

    def _through(self, images, *stages):
        for stage in stages:
            images = stage(images)
        return images

    def encode(self, images: Tensor) -> Tensor:
        return self._through(images, self.backbone, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self._through(images, *self.children())


# %% correct: encode once, and the pooling by its own hand

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, num_channels=feature_channels
        )
        self.read = {
            "class": lambda tokens: tokens.select(1, 0),
            "first": lambda tokens: tokens.select(1, 0),
            "last": lambda tokens: tokens.select(1, tokens.size(1) - 1),
            "mean": lambda tokens: tokens.sum(dim=1) / tokens.size(1),
        }[pool]

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.read(self.encode(images)))
