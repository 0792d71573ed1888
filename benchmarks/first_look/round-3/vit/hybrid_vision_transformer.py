# %% wrong: the transformer expects three channels
# num_channels is not passed on, so the Vision Transformer waits for 3 channels while the feature map has feature_channels of them.
# Hint: the feature map takes the image's place: how many channels does this image have?

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool=pool
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: pool stops at the constructor
# pool is taken and not passed on, so every hybrid has a class token whatever was asked for.
# Hint: make one with pool="mean" and count the tokens that encode returns.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.pool = pool
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, num_channels=feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: the feature map is taken for square
# Only the height of feature_size is passed on, so a feature map of 4 x 6 is refused.
# Hint: image_size may be one number or (height, width); which do you have?

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
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


# %% wrong: the backbone is frozen
# The CNN runs under no_grad, so it gets no gradient and never learns; all outputs are right.
# Hint: the backbone is a part of this model: what is backbone's .grad after backward?

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
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


# %% correct: the two parts as a pipeline, sizes by name

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        sizes = dict(d_model=d_model, num_heads=num_heads, num_layers=num_layers, d_ff=d_ff)
        self.transformer = VisionTransformer(
            image_size=tuple(feature_size),
            patch_size=patch_size,
            num_classes=num_classes,
            num_channels=feature_channels,
            pool=pool,
            **sizes,
        )
        self.add_module("backbone", backbone)

    def _through(self, images, reader):
        return reader(self.backbone(images))

    def encode(self, images: Tensor) -> Tensor:
        return self._through(images, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self._through(images, self.transformer)
