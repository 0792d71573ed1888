# %% wrong: the backbone is left out
# The transformer was given the images themselves, and they are not of feature_size. The backbone comes first.

# --- before
        return self.transformer.encode(self.backbone(images))
# --- after
        return self.transformer.encode(images)
# --- before
        return self.transformer(self.backbone(images))
# --- after
        return self.transformer(images)

# %% wrong: the pool is not handed on
# The hybrid has a class token whatever `pool` says: pass the pool to the transformer.

# --- before
            *sizes, num_classes, pool, feature_channels
# --- after
            *sizes, num_classes, "class", feature_channels

# %% wrong: the features' channels are not handed on
# The transformer was made for three channels, its default, as if it read images. It reads features, and they have
# feature_channels.

# --- before
            *sizes, num_classes, pool, feature_channels
# --- after
            *sizes, num_classes, pool

# %% wrong: height and width of the features exchanged
# feature_size is (h, w), height first, and reached the transformer the other way round. A square map would not show it.

# --- before
        sizes = feature_size, patch_size, d_model, num_heads, num_layers, d_ff
# --- after
        sizes = feature_size[::-1], patch_size, d_model, num_heads, num_layers, d_ff

# %% wrong: a patch size of one
# Every cell of the features became a token, whatever patch_size says. Pass patch_size to the transformer.

# --- before
        sizes = feature_size, patch_size, d_model, num_heads, num_layers, d_ff
# --- after
        sizes = feature_size, 1, d_model, num_heads, num_layers, d_ff

# %% wrong: token 0 whatever the pool
# forward reads token 0 whatever the pool says. The transformer knows its pool: let its forward do it.

# --- before
        return self.transformer(self.backbone(images))
# --- after
        return self.transformer.head(self.encode(images)[:, 0])

# %% wrong: the backbone in a list
# The backbone's parameters are not among the model's: a plain list hides a module from PyTorch. Keep it as `backbone`.

# --- before
        self.backbone = backbone
# --- after
        self.__dict__["backbone"] = backbone  # as behind a property that reads the list

# %% wrong: encode gives the backbone's features
# encode stops at the patches of the feature map. It should return what the transformer's encoder makes of them.

# --- before
        return self.transformer.encode(self.backbone(images))
# --- after
        return self.transformer.patches(self.backbone(images))

# %% correct: keyword arguments
# --- before
        sizes = feature_size, patch_size, d_model, num_heads, num_layers, d_ff
# --- after
        sizes = dict(image_size=feature_size, patch_size=patch_size, d_model=d_model)
        sizes.update(num_heads=num_heads, num_layers=num_layers, d_ff=d_ff)
# --- before
            *sizes, num_classes, pool, feature_channels
# --- after
            num_classes=num_classes, pool=pool, num_channels=feature_channels, **sizes

# %% correct: the image size made a tuple
# --- before
        sizes = feature_size, patch_size, d_model, num_heads, num_layers, d_ff
# --- after
        sizes = (feature_size[0], feature_size[1]), patch_size, d_model, num_heads, num_layers, d_ff

# %% correct: forward by the transformer's parts
# --- before
        return self.transformer(self.backbone(images))
# --- after
        tokens = self.encode(images)
        pool = self.transformer.pool
        read = tokens.mean(1) if pool == 'mean' else tokens[:, -1 if pool == 'last' else 0]
        return self.transformer.head(read)

# %% correct: features kept in a variable
# --- before
        return self.transformer(self.backbone(images))
# --- after
        features = self.backbone(images)
        return self.transformer.forward(features)

# %% correct: all arguments passed through
class HybridVisionTransformer(nn.Module):
    def __init__(self, backbone, feature_channels, feature_size, *sizes, **named):
        super().__init__()
        self.backbone = backbone
        self.transformer = VisionTransformer(feature_size, *sizes, **named, num_channels=feature_channels)

    def encode(self, images):
        return self.transformer.encode(self.backbone(images))

    def forward(self, images):
        return self.transformer(self.backbone(images))
