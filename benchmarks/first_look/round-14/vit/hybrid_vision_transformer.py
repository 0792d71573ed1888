# %% wrong: forward always takes the mean
# The pool goes to the transformer, but forward pools by itself, by the mean. With "class", "first"
# and "last" the logits are another token's.

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

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images).mean(dim=1))


# %% wrong: the backbone is not trained
# "A CNN that gives features": they are computed without gradients. The outputs are right, but no
# gradient reaches the backbone, which is a part of the model.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def features(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.backbone(images)

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.features(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.features(images))


# %% wrong: a square feature map
# Only the height of feature_size is passed on, which stands for a square. A map of 4 x 6 cells then
# is refused (or the constructor builds the wrong number of positions).

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


# %% wrong: a copy of the backbone
# deepcopy, so that nobody else's module is touched. But the backbone is to be the one that was
# given: training the hybrid does not train it, and a later change to it does not arrive.

import copy


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
        self.backbone = copy.deepcopy(backbone)
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool=pool, num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% correct: the token is picked from encode by hand

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
        of_vit = dict(zip(("d_model", "num_heads", "num_layers", "d_ff"), (d_model, num_heads, num_layers, d_ff)))
        self.transformer = VisionTransformer(
            image_size=feature_size,
            num_channels=feature_channels,
            patch_size=patch_size,
            num_classes=num_classes,
            pool=pool,
            **of_vit,
        )
        self.add_module("backbone", backbone)
        self.chosen = {"mean": slice(None), "last": slice(-1, None)}.get(pool, slice(0, 1))

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, self.chosen].mean(dim=1))


# %% correct: one way in, two ways out

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
        nn.Module.__init__(self)
        height, width = feature_size
        self.backbone = backbone
        self.transformer = VisionTransformer(
            (height, width), patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def through(self, images: Tensor, read) -> Tensor:
        return read(self.backbone(images))

    def encode(self, images: Tensor) -> Tensor:
        return self.through(images, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self.through(images, self.transformer)
