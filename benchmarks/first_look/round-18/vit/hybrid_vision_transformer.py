# %% wrong: pool is not passed on
# The transformer always has a class token: with pool "mean" encode gives one token too many and other logits.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: the backbone frozen, as in chapter 03
# Takes the features without gradients: the backbone's parameters (and the images) get none in training.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool=pool, num_channels=feature_channels,
        )

    def features(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% wrong: the feature map taken for a square
# Passes only the height on: a feature map of 4 x 6 is refused with a ValueError.

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
            feature_size[0], patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool=pool, num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: the encoder's epsilon
# Passes 1e-5 (the encoder's own default) where VisionTransformer's default of 1e-6 should stay: shows where the tokens vary little, as with very small weights.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool, feature_channels, 1e-5,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% correct: pooled by hand from encode

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
        self.transformer = VisionTransformer(
            image_size=tuple(feature_size),
            patch_size=patch_size,
            d_model=d_model,
            num_heads=num_heads,
            num_layers=num_layers,
            d_ff=d_ff,
            num_classes=num_classes,
            pool=pool,
            num_channels=feature_channels,
        )
        self.backbone = backbone
        self.how = pool

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        first, last = tokens.select(1, 0), tokens.select(1, -1)
        read = {"class": first, "first": first, "last": last, "mean": tokens.mean(1)}[self.how]
        return self.transformer.head(read)


# %% correct: one way through for both methods

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
        sizes = {
            "patch_size": patch_size,
            "d_model": d_model,
            "num_heads": num_heads,
            "num_layers": num_layers,
            "d_ff": d_ff,
        }
        self.add_module(
            "transformer",
            VisionTransformer(
                feature_size, **sizes, num_classes=num_classes, pool=pool, num_channels=feature_channels
            ),
        )

    def through(self, images: Tensor, *then) -> Tensor:
        x = images
        for step in (self.backbone, *then):
            x = step(x)
        return x

    def encode(self, images: Tensor) -> Tensor:
        return self.through(images, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self.through(images, self.transformer)
