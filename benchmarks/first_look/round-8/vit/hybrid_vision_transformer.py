# %% wrong: forward always reads the first token
# forward puts the head on encode(images)[:, 0] whatever the pool is. Shows for "last" and "mean".

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
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, 0])


# %% wrong: the feature map taken for a square
# image_size is feature_size[0], one number: a map that is not square is refused with a ValueError (or, where P does not
# divide its height alone, cannot be made).

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
            image_size=feature_size[0],
            patch_size=patch_size,
            d_model=d_model,
            num_heads=num_heads,
            num_layers=num_layers,
            d_ff=d_ff,
            num_classes=num_classes,
            pool=pool,
            num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: the pool is not handed on
# The transformer is made without pool, so it always has a class token. Shows for "first", "last" and "mean": one token
# and one position more, and other logits.

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
        self.pool = pool
        self.transformer = VisionTransformer(
            feature_size,
            patch_size,
            d_model,
            num_heads,
            num_layers,
            d_ff,
            num_classes,
            num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer(features)


# %% wrong: the backbone cut off from the gradients
# As with chapter 03's frozen backbone the features are detached: the convolutions never learn. Shows in backward, for
# the backbone's parameters and for the images.

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
            pool,
            feature_channels,
        )

    def features(self, images):
        return self.backbone(images).detach()

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% correct: the pooling done here, by the positions that there are

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
        self.add_module("backbone", backbone)
        settings = dict(zip(("d_model", "num_heads", "num_layers", "d_ff"), (d_model, num_heads, num_layers, d_ff)))
        settings.update(image_size=tuple(feature_size), patch_size=patch_size, num_channels=feature_channels)
        self.add_module("transformer", VisionTransformer(num_classes=num_classes, pool=pool, **settings))
        self.reads = {"class": slice(0, 1), "first": slice(0, 1), "last": slice(-1, None), "mean": slice(None)}[pool]

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        logits = self.transformer.head(self.encode(images)[:, self.reads])  # of one token, or of all
        return logits.sum(dim=1) / logits.shape[1]


# %% correct: both methods through one way, named by its end

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
        sizes = [(height, width), patch_size, d_model, num_heads, num_layers, d_ff, num_classes]
        for name, part in (("transformer", VisionTransformer(*sizes, pool, feature_channels)), ("backbone", backbone)):
            setattr(self, name, part)

    def _through(self, images, end):
        for part in (self.backbone, end):
            images = part(images)
        return images

    def encode(self, images: Tensor) -> Tensor:
        return self._through(images, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self._through(images, self.transformer)
