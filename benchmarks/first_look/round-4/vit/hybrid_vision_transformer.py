# %% wrong: three channels taken for granted
# feature_channels is not handed on, so the transformer expects three channels as in a photograph. With a backbone of
# 32 channels the first product of matrices fails.
# Hint: how many numbers is a patch of the feature map?

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: the backbone without gradients
# The features are computed under no_grad, as one does with a pre-trained backbone. This one is trained together with
# the rest; here it stays as it was drawn, and no error says so.
# Hint: after backward, which parameters of the backbone have a gradient?

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

    def features(self, images):
        with torch.no_grad():
            return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% wrong: every cell of the feature map a patch
# patch_size is taken for the image's and not used on the feature map: each cell becomes a token of its own. With
# patch_size=1 it is right; otherwise there are patch_size squared times too many tokens.
# Hint: a feature map of 4 x 4 cells and patch_size=2: how many patches should there be?

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
            image_size=feature_size,
            patch_size=1,
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


# %% wrong: the first token read whatever the pool
# forward puts the head on the first token itself and does not ask for the pool. With "class" and "first" that is right,
# with "last" and "mean" it reads the wrong token.
# Hint: who knows already how to pool? Compare the logits with transformer(backbone(images)) for pool="mean".

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


# %% correct: a sequence of two named parts

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
        reader = VisionTransformer(
            tuple(feature_size),
            patch_size,
            d_model=d_model,
            num_heads=num_heads,
            num_layers=num_layers,
            d_ff=d_ff,
            num_classes=num_classes,
            pool=pool,
            num_channels=feature_channels,
        )
        self.add_module("backbone", backbone)
        self.add_module("transformer", reader)

    def encode(self, images: Tensor) -> Tensor:
        backbone, transformer = self
        return transformer.encode(backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return super().forward(images)


# %% correct: both methods by one helper

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
        shape = (feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes)
        self.transformer = VisionTransformer(*shape, pool=pool, num_channels=feature_channels)
        self.backbone = backbone

    def _after_backbone(self, read, images):
        return read(self.backbone(images))

    def encode(self, images: Tensor) -> Tensor:
        return self._after_backbone(self.transformer.encode, images)

    def forward(self, images: Tensor) -> Tensor:
        return self._after_backbone(self.transformer, images)
