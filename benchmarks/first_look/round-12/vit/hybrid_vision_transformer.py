# %% wrong: the head reads the first token whatever the pool
# forward reads token 0. That is right for "class" and "first", and wrong for "last" and "mean" where there is more than one patch.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers,
        d_ff, num_classes, pool="class",
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
        return self.transformer.head(self.encode(images)[:, 0])


# %% wrong: the backbone is frozen
# Runs the backbone without gradients, as a trained CNN of chapter 03 is. Its parameters get no gradient from the hybrid's loss,
# for any images.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers,
        d_ff, num_classes, pool="class",
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


# %% wrong: d_ff before num_layers
# Passes the sizes in the order of TransformerEncoder. VisionTransformer has num_layers before d_ff, so it gets d_ff layers with
# num_layers hidden features. It shows where the two differ.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers,
        d_ff, num_classes, pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, d_ff, num_layers, num_classes,
            pool=pool, num_channels=feature_channels,
        )

    def encode(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer.encode(features)

    def forward(self, images: Tensor) -> Tensor:
        features = self.backbone(images)
        return self.transformer(features)


# %% wrong: a copy of the backbone
# Keeps a deep copy, so that two hybrids do not share a CNN. The part is not the backbone as given: training the hybrid leaves the
# caller's module behind, and changes made to that one do not show in the hybrid.

import copy


class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers,
        d_ff, num_classes, pool="class",
    ):
        super().__init__()
        self.backbone = copy.deepcopy(backbone)
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


# %% correct: part after part

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers,
        d_ff, num_classes, pool="class",
    ):
        super().__init__()
        sizes = (feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes)
        self.add_module("backbone", backbone)
        self.add_module("transformer", VisionTransformer(*sizes, pool, feature_channels))

    def forward(self, images: Tensor) -> Tensor:
        x = images
        for part in self.children():
            x = part(x)
        return x

    def encode(self, images: Tensor) -> Tensor:
        *before, reader = self.children()
        for part in before:
            images = part(images)
        return reader.encode(images)


# %% correct: its own reading of what encode gives

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers,
        d_ff, num_classes, pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            num_channels=feature_channels,
            image_size=feature_size,
            patch_size=patch_size,
            num_classes=num_classes,
            num_layers=num_layers,
            num_heads=num_heads,
            d_model=d_model,
            d_ff=d_ff,
            pool=pool,
        )
        self.how = pool

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images).unbind(dim=1)
        read = {"class": tokens[:1], "first": tokens[:1], "last": tokens[-1:], "mean": tokens}
        chosen = read[self.how]
        return self.transformer.head(sum(chosen) / len(chosen))
