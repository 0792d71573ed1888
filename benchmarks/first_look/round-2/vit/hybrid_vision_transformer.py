# %% wrong: three channels by default
# feature_channels is not handed on: the transformer expects 3 channels, and pool stays at its default too. A good message: "feature_channels = 8: patches.projection has 3 * P * P inputs"; "pool='mean' was not handed on".

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))

# %% wrong: a frozen tokeniser
# The backbone runs under no_grad: the numbers are right, and it never learns. A good message: "the backbone's parameters get no gradient".

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

    def features(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))

# %% wrong: always read from the first token
# forward puts the head on encode's token 0, whatever the pool; and a feature map that is not square is taken for one. A good message: "pool='mean': the logits are those of the first token"; "feature_size = (4, 6) must work".

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
            feature_size[0], patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, 0])

# %% correct: one after the other

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
        sizes = dict(d_model=d_model, num_heads=num_heads, num_layers=num_layers, d_ff=d_ff, num_classes=num_classes)
        self.transformer = VisionTransformer(
            image_size=tuple(feature_size), patch_size=patch_size, pool=pool, num_channels=feature_channels, **sizes
        )

    def _after_backbone(self, what, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return what(features)

    def encode(self, images: Tensor) -> Tensor:
        return self._after_backbone(self.transformer.encode, images)

    def forward(self, images: Tensor) -> Tensor:
        return self._after_backbone(self.transformer, images)
