# %% wrong: the backbone as a fixed extractor
# The features are computed without gradients, as in a frozen pre-trained network, so the backbone never learns.

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

    @torch.no_grad()
    def features(self, images):
        return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% wrong: the pool is not handed on
# pool is in the signature only; the transformer always takes its default and has a class token.

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


# %% wrong: a square feature map
# Only the height of feature_size is used, as if the map were square; a map of 4 x 6 cells is refused.

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
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer(features)


# %% wrong: the backbone hidden in a list
# A module in a plain list is not registered: its parameters are in no optimizer and no state_dict, and there is no module backbone.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        self.steps = [backbone, self.transformer]

    def encode(self, images: Tensor) -> Tensor:
        return self.steps[1].encode(self.steps[0](images))

    def forward(self, images: Tensor) -> Tensor:
        x = images
        for step in self.steps:
            x = step(x)
        return x


# %% wrong: encode gives the pooled vector
# encode already reads one token and returns (B, D), where all tokens (B, T, D) are asked for; forward is right.

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
            tuple(feature_size),
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
        tokens = self.transformer.encode(self.backbone(images))
        if self.pool == "mean":
            return tokens.mean(dim=1)
        if self.pool == "last":
            return tokens[:, -1]
        return tokens[:, 0]

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images))


# %% correct: arguments by name, and the parts in a chain

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
        sizes = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff}
        picture = {"image_size": tuple(feature_size), "patch_size": patch_size, "num_channels": feature_channels}
        parts = {"backbone": backbone, "transformer": VisionTransformer(num_classes=num_classes, pool=pool, **picture, **sizes)}
        for name, part in parts.items():
            self.add_module(name, part)

    def _after_backbone(self, then, images):
        return then(self.backbone(images))

    def encode(self, images: Tensor) -> Tensor:
        return self._after_backbone(self.transformer.encode, images)

    def forward(self, images: Tensor) -> Tensor:
        return self._after_backbone(self.transformer, images)


# %% correct: its own pooling above encode

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
        inner = VisionTransformer(
            (height, width), patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        self.backbone, self.transformer, self.pool = backbone, inner, pool

    def encode(self, images: Tensor) -> Tensor:
        tokeniser = self.backbone
        return self.transformer.encode(tokeniser(images))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images).unbind(dim=1)
        match self.pool:
            case "mean":
                chosen = sum(tokens) / len(tokens)
            case "last":
                chosen = tokens[-1]
            case _:
                chosen = tokens[0]
        return self.transformer.head(chosen)
