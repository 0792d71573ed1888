# %% wrong: the backbone runs without gradients
# Features are made under no_grad, as of a pre-trained, frozen network. All values are right, but
# the backbone's parameters get no gradient and never learn.

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

# %% wrong: a copy of the backbone
# deepcopy, so that several models cannot disturb each other. The docstring wants the backbone as
# given: hybrid.backbone is another object, and the given one gets no gradients.

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
            pool, feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))

# %% wrong: every feature map is a square
# Only the first of feature_size goes on, as one number. A map of (4, 6) cells is refused with
# ValueError; square maps are right.

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

# %% wrong: the pool stays at home
# pool is an argument and is not handed on, so every hybrid has a class token. Shows for "mean",
# "first" and "last": one token too many, another vector read, and no error for an unknown pool.

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
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))

# %% correct: the pooling and the head once more, by hand

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
        self.reads = pool

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images).unbind(dim=1)
        if self.reads == "mean":
            chosen = sum(tokens) / len(tokens)
        else:
            chosen = tokens[len(tokens) - 1 if self.reads == "last" else 0]
        return self.transformer.head(chosen)

# %% correct: parts under their names, called by name

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
        sizes = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers}
        sizes |= {"d_ff": d_ff, "num_classes": num_classes, "patch_size": patch_size}
        of_the_map = {"image_size": feature_size, "num_channels": feature_channels}
        self.add_module("backbone", backbone)
        self.add_module("transformer", VisionTransformer(pool=pool, **of_the_map, **sizes))

    def _read(self, images: Tensor, how) -> Tensor:
        features = self.get_submodule("backbone")(images)
        return how(features)

    def encode(self, images: Tensor) -> Tensor:
        return self._read(images, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self._read(images, self.transformer)
