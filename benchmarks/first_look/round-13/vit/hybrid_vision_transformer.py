# %% wrong: the head reads the first token, whatever the pool
# forward takes encode's first token as in the paper and forgets that the model may pool otherwise. Shows for "last"
# and "mean".


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


# %% wrong: the backbone is frozen
# The features are made without gradients, as in chapter 03 with a trained encoder. Here nothing asks for it: after a
# backward pass the backbone's parameters have no gradient.


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
            pool, feature_channels,
        )

    def features(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% wrong: the feature map is taken for a square
# Only the height of feature_size is passed on. Right for (4, 4); a map of (4, 6) is refused with a ValueError, though
# it is what the hybrid was made for.


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
            feature_size[0],
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
        return self.transformer(self.backbone(images))


# %% wrong: a copy of the backbone
# The module is copied before it is kept. "backbone, as given": training the hybrid leaves the given module as it was,
# and hybrid.backbone is another object.


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
        import copy

        self.backbone = copy.deepcopy(backbone)
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
        return self.transformer(self.backbone(images))


# %% correct: both modules in a row, and a fold for encode


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
        arguments = dict(
            image_size=feature_size,
            num_channels=feature_channels,
            patch_size=patch_size,
            d_model=d_model,
            num_heads=num_heads,
            num_layers=num_layers,
            d_ff=d_ff,
            num_classes=num_classes,
            pool=pool,
        )
        for name, part in (("backbone", backbone), ("transformer", VisionTransformer(**arguments))):
            self.add_module(name, part)

    def encode(self, images: Tensor) -> Tensor:
        x = images
        for stage in (self.backbone, self.transformer.encode):
            x = stage(x)
        return x

    def forward(self, images: Tensor) -> Tensor:
        return nn.Sequential(*self.children())(images)


# %% correct: pooled by hand from encode's tokens


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
            tuple(feature_size), patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool, feature_channels,
        )
        self.pool = pool

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.transformer.head(tokens.sum(dim=1) / tokens.shape[1])
        place = tokens.shape[1] - 1 if self.pool == "last" else 0
        return self.transformer.head(tokens.select(1, place))
