# %% wrong: the head reads token 0, whatever pool says
# forward takes the first token of encode. Right for "class" and "first"; shows for pool="mean" and pool="last".

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

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer.head(self.encode(images)[:, 0])


# %% wrong: the backbone runs without gradients, as in chapter 03
# torch.no_grad() freezes the backbone, which is part of this model and has to learn with it: after a backward its
# parameters have no gradient.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
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


# %% wrong: inherits from VisionTransformer, so there is no part `transformer`
# Computes the right numbers, but its parts are backbone, patches, positions, encoder and head. Shows in model.transformer
# (AttributeError) and in the names of the state dict.

class HybridVisionTransformer(VisionTransformer):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool=pool, num_channels=feature_channels,
        )
        self.backbone = backbone

    def encode(self, images: Tensor) -> Tensor:
        return super().encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return super().forward(images)  # calls encode


# %% wrong: layer_norm_eps as in the other chapters
# 1e-5 is passed on, while VisionTransformer's default, 1e-6, is asked for. Shows in the eps of the norms, and in the output
# where a token's features lie close together.

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
            pool=pool, num_channels=feature_channels, layer_norm_eps=1e-5,
        )

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        return self.transformer(self.backbone(images))


# %% correct: arguments in a dictionary, the head by hand

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        sizes = dict(d_model=d_model, d_ff=d_ff, num_heads=num_heads, num_layers=num_layers)
        picture = dict(image_size=feature_size, num_channels=feature_channels, patch_size=patch_size)
        self.add_module("backbone", backbone)
        self.add_module("transformer", VisionTransformer(**picture, **sizes, num_classes=num_classes, pool=pool))
        self.reads = {"class": slice(0, 1), "first": slice(0, 1), "last": slice(-1, None), "mean": slice(None)}[pool]

    def encode(self, images: Tensor) -> Tensor:
        return self.transformer.encode(self.backbone(images))

    def forward(self, images: Tensor) -> Tensor:
        pooled = self.encode(images)[:, self.reads].mean(dim=1)
        return self.transformer.head(pooled)


# %% correct: a loop over the two parts

class HybridVisionTransformer(nn.Module):
    def __init__(
        self, backbone, feature_channels, feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class",
    ):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(
            feature_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool, feature_channels
        )

    def through(self, images: Tensor, *steps) -> Tensor:
        for step in steps:
            images = step(images)
        return images

    def encode(self, images: Tensor) -> Tensor:
        return self.through(images, self.backbone, self.transformer.encode)

    def forward(self, images: Tensor) -> Tensor:
        return self.through(images, *self.children())
