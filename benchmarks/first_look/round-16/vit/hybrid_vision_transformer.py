# %% wrong: the head always reads the first token
# forward takes the head and reads token 0, whatever `pool` is: right for "class" and "first", wrong for "last" and "mean".


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


# %% wrong: a copy of the backbone
# Keeps a deep copy, "so that training does not change the caller's network": model.backbone is not the one that was given,
# and a later change of either does not reach the other.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% wrong: is a Vision Transformer instead of having one
# Inherits from VisionTransformer, so the numbers are right, but there is no part `transformer`: its parameters lie in the
# model itself, and a state_dict with "transformer.head.weight" does not fit.


class HybridVisionTransformer(VisionTransformer):
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
        super().__init__(
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
        self.backbone = backbone

    def encode(self, images: Tensor) -> Tensor:
        return super().encode(self.backbone(images))


# %% wrong: the backbone put into evaluation mode
# Chapter 03's backbone was frozen, so this one is set to eval() on the way in, which changes the caller's module: wrong
# for a backbone with batch norm or dropout that is passed in training mode.


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
        self.backbone = backbone.eval()
        self.transformer = VisionTransformer(
            image_size=feature_size,
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


# %% correct: forward puts the transformer behind the backbone as a Sequential


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
        sizes = dict(d_model=d_model, num_heads=num_heads, num_layers=num_layers, d_ff=d_ff)
        picture = dict(image_size=feature_size, patch_size=patch_size, num_channels=feature_channels)
        transformer = VisionTransformer(num_classes=num_classes, pool=pool, **picture, **sizes)
        for name, part in {"backbone": backbone, "transformer": transformer}.items():
            self.add_module(name, part)

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        return nn.Sequential(*self.children())(images)


# %% correct: forward pools what encode returns


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
        self.how = pool

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        logits = self.transformer.head(self.encode(images))  # a linear map: pool before or after, all one
        if self.how == "mean":
            return logits.mean(dim=1)
        return logits[:, {"class": 0, "first": 0, "last": -1}[self.how]]
