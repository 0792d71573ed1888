# %% wrong: the pool stays outside
# pool is not handed on, so the transformer has its class token whatever was asked for.
# Shows for pool="mean", "first" and "last": one token too many, and other logits.

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


# %% wrong: forward reads the first token, whatever the pool
# The logits are the head of token 0, as with a class token.
# Shows for pool="mean" and pool="last" where there is more than one patch.

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


# %% wrong: the first side of the feature map for both
# The feature map is taken to be square: its height is given to the transformer as the one image size.
# Shows for feature_size=(4, 6): the backbone's features are refused.

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
        return self.transformer(self.backbone(images))


# %% wrong: a tokeniser that does not learn
# The features are made under no_grad, as if the backbone were frozen; here it is a part that trains with the rest.
# Shows after backward: no parameter of the backbone has a gradient.

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

    def features(self, images):
        with torch.no_grad():
            return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% correct: the head on every token, then the pool over the logits

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
            tuple(feature_size), patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        self.part = {"class": slice(0, 1), "first": slice(0, 1), "last": slice(-1, None), "mean": slice(None)}[pool]

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        logits = self.transformer.head(self.encode(images))  # (B, T, classes)
        return logits[:, self.part].mean(dim=1)


# %% correct: one path for both, told by a function what to call at its end

from functools import partialmethod

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
        height, width = feature_size
        parts = {
            "backbone": backbone,
            "transformer": VisionTransformer(
                image_size=(height, width),
                patch_size=patch_size,
                num_channels=feature_channels,
                num_classes=num_classes,
                pool=pool,
                **sizes,
            ),
        }
        for name, module in parts.items():
            self.add_module(name, module)

    def _through(self, images: Tensor, last: str) -> Tensor:
        return getattr(self.transformer, last)(self.backbone(images))

    encode = partialmethod(_through, last="encode")
    forward = partialmethod(_through, last="__call__")
