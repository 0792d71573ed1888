# %% wrong: the class token behind the patches
# The class token is put at the end and read there. The model can learn as well as another, but the class token is to
# stand before the patches and have the first position, and published weights would not fit.
# Hint: which row of the positions belongs to patch 0 in your model?

class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool: {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            dropout=0.0,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images must be of {self.image_size} pixels")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([x, self.class_token.expand(len(x), -1, -1)], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        if self.pool == "first":
            return self.head(x[:, 0])
        return self.head(x[:, -1])


# %% wrong: a class token whatever the pool
# There is always a class token, and pool only says which token is read. With "first", "last" and "mean" the model has
# one token, one position and one parameter too many.
# Hint: for pool="mean" and sixteen patches, how many tokens should encode return?

class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool: {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_patches + 1, d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            dropout=0.0,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images must be of {self.image_size} pixels")
        x = self.patches(images)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "class":
            pooled = x[:, 0]
        elif self.pool == "first":
            pooled = x[:, 1]
        elif self.pool == "last":
            pooled = x[:, -1]
        else:
            pooled = x[:, 1:].mean(dim=1)
        return self.head(pooled)


# %% wrong: the count of patches compared and not the size
# Checks that there are as many patches as positions. A picture of another shape with the same number of patches, such
# as 8 x 12 for 12 x 8, is read without an error and with wrong positions.
# Hint: name two sizes of picture that give six patches of 4 x 4.

class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool: {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        self.num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(self.num_patches + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            dropout=0.0,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"{x.shape[1]} patches, but the model is made for {self.num_patches}")
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1] if self.pool == "last" else x[:, 0])


# %% wrong: layer_norm_eps not handed on
# The constructor takes layer_norm_eps and does nothing with it, so the encoder's norms have PyTorch's 1e-5. The
# difference is small and grows where tokens are small; published weights give slightly different logits.
# Hint: look at model.encoder.layers[0].norm1.

class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool: {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            dropout=0.0,
            activation=F.gelu,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images must be of {self.image_size} pixels")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1] if self.pool == "last" else x[:, 0])


# %% wrong: probabilities in place of logits
# A softmax stands behind the head. The order of the classes is right and so is the accuracy, but the cross-entropy
# takes a softmax of its own, so training gets gradients that are nearly flat.
# Hint: what does F.cross_entropy expect, and what do the rows of your output sum to?

class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool: {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            dropout=0.0,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images must be of {self.image_size} pixels")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            x = x.mean(dim=1)
        else:
            x = x[:, -1] if self.pool == "last" else x[:, 0]
        return torch.softmax(self.head(x), dim=1)


# %% correct: a table of ways to read

READERS = {
    "class": lambda tokens: tokens[:, 0],
    "first": lambda tokens: tokens[:, 0],
    "last": lambda tokens: tokens[:, -1],
    "mean": lambda tokens: tokens.mean(dim=1),
}


def height_and_width(size):
    return (size, size) if isinstance(size, int) else tuple(size)


class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in READERS:
            raise ValueError(f"pool must be one of {', '.join(READERS)}, not {pool!r}")
        self.size = height_and_width(image_size)
        if any(side % patch_size for side in self.size):
            raise ValueError(f"patches of {patch_size} do not tile {self.size}")
        self.pool = pool
        tokens = int(pool == "class")
        if tokens:
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) / d_model**0.5)
        tokens += (self.size[0] // patch_size) * (self.size[1] // patch_size)
        sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "num_layers": num_layers}
        form = {"dropout": 0.0, "activation": F.gelu, "norm_first": True, "layer_norm_eps": layer_norm_eps}
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(tokens, d_model)
        self.encoder = TransformerEncoder(**sizes, **form)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or tuple(images.shape[2:]) != self.size:
            raise ValueError(f"images of {self.size} pixels wanted, not {tuple(images.shape)}")
        sentence = [self.patches(images)]
        if self.pool == "class":
            sentence.insert(0, self.class_token.repeat(images.shape[0], 1, 1))
        return self.encoder(self.positions(torch.cat(sentence, dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(READERS[self.pool](self.encode(images)))


# %% correct: padding for the class token, and reading as a weighted sum

class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        d_model,
        num_heads,
        num_layers,
        d_ff,
        num_classes,
        pool="class",
        num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"there is no pool {pool!r}")
        self.height, self.width = image_size if isinstance(image_size, (tuple, list)) else [image_size] * 2
        rows, rest_of_rows = divmod(self.height, patch_size)
        columns, rest_of_columns = divmod(self.width, patch_size)
        if rest_of_rows or rest_of_columns:
            raise ValueError(f"{self.height} x {self.width} pixels are not tiled by {patch_size} x {patch_size}")
        self.pool = pool
        self.extra = 1 if pool == "class" else 0
        if self.extra:
            self.register_parameter("class_token", nn.Parameter(torch.zeros(1, 1, d_model)))
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(rows * columns + self.extra, d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            dropout=0.0,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        *_, height, width = images.shape
        if (height, width) != (self.height, self.width):
            raise ValueError(f"made for {self.height} x {self.width} pixels, not {height} x {width}")
        x = F.pad(self.patches(images), (0, 0, self.extra, 0))  # room for the class token
        if self.extra:
            x = x + F.pad(self.class_token, (0, 0, 0, x.shape[1] - 1))
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        shares = x.new_full((x.shape[1],), 1 / x.shape[1])
        if self.pool != "mean":
            shares = torch.zeros_like(shares)
            shares[-1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("t,btd->bd", shares, x))
