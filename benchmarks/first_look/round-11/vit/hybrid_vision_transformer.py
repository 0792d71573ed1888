# %% wrong: the backbone is frozen
# As the CNN of chapter 03, the backbone runs without gradients. Here it is a part of the model like
# the others. It shows after backward(): the backbone's parameters have no gradient.

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

# %% wrong: always reads the first token
# forward gives the first of the encoded tokens to the head, whatever the pool is. It shows with "last"
# and "mean" wherever there are two patches or more.

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

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, 0])

# %% wrong: a square as high as the feature map
# Only the height of feature_size goes on. It shows for a feature map that is not square, such as
# (4, 6): the images are refused, and the table of positions has another length.

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
# "as given" is the module itself; here a deep copy is trained in its place. It shows by
# model.backbone is backbone, or by the gradients of the one that was given.

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

# %% correct: two parts in sequence
from collections import OrderedDict


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
        sizes = dict(d_model=d_model, num_heads=num_heads, num_layers=num_layers, d_ff=d_ff)
        reader = VisionTransformer(
            image_size=feature_size,
            patch_size=patch_size,
            num_classes=num_classes,
            pool=pool,
            num_channels=feature_channels,
            **sizes,
        )
        super().__init__(OrderedDict(backbone=backbone, transformer=reader))

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

# %% correct: pools the encoded tokens by itself
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
        height, width = feature_size
        self.transformer = VisionTransformer(
            (height, width), patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )
        read = {"mean": lambda x: x.mean(dim=1), "last": lambda x: x.select(1, -1)}
        self.read = read.get(pool, lambda x: x.select(1, 0))

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.read(self.encode(images)))
