# %% wrong: the class token has no position
# Positions are added to the patches, and the class token comes afterwards; so it has no position, and the table has a row too few.
# Hint: the class token is given the first position: which of the two comes first, joining or adding?

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_patches, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != tuple(self.image_size):
            raise ValueError("another image size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: number of layers and d_ff mixed up
# TransformerEncoder takes d_ff before num_layers; here they are passed the other way round, so there are d_ff layers with a hidden width of num_layers.
# Hint: look at the encoder's signature in chapter 06, or pass these by name.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, num_layers, d_ff, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != tuple(self.image_size):
            raise ValueError("another image size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: only the number of patches is checked
# A picture of 12 x 8 has as many patches as one of 8 x 12, so it is taken by a model that was made for the other; the docstring wants a ValueError for images that are not of image_size.
# Hint: are two pictures of the same size because they have the same number of patches?

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        self.num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(self.num_patches + int(pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError(f"expected {self.num_patches} patches, got {tokens.shape[1]}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: a class token for every pool
# The class token is made and put in front for "first", "last" and "mean" too; these should have no class token and one token fewer.
# Hint: how many tokens should encode return with pool="mean"?

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(1 + (height // patch_size) * (width // patch_size), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError("another image size")
        front = self.class_token.expand(len(images), -1, -1)
        return self.encoder(self.positions(torch.cat([front, self.patches(images)], dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "class":
            return self.head(tokens[:, 0])
        if self.pool == "first":
            return self.head(tokens[:, 1])
        if self.pool == "last":
            return self.head(tokens[:, -1])
        return self.head(tokens[:, 1:].mean(dim=1))


# %% correct: a table of readers

def _height_and_width(image_size):
    if isinstance(image_size, (tuple, list)):
        height, width = image_size
        return int(height), int(width)
    return int(image_size), int(image_size)


class VisionTransformer(nn.Module):
    READERS = {
        "class": lambda tokens: tokens.select(1, 0),
        "first": lambda tokens: tokens.select(1, 0),
        "last": lambda tokens: tokens.select(1, tokens.shape[1] - 1),
        "mean": lambda tokens: tokens.sum(dim=1) / tokens.shape[1],
    }

    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in self.READERS:
            raise ValueError(f"pool must be one of {', '.join(self.READERS)}, got {pool!r}")
        self.height, self.width = _height_and_width(image_size)
        rows, left_below = divmod(self.height, patch_size)
        columns, left_right = divmod(self.width, patch_size)
        if left_below or left_right:
            raise ValueError(f"patches of {patch_size} do not tile {self.height} x {self.width}")
        self.pool = pool
        if pool == "class":
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model))
            nn.init.normal_(self.class_token, std=0.02)
        self.head = nn.Linear(d_model, num_classes)
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
        self.positions = LearnedPositionalEncoding(rows * columns + (1 if pool == "class" else 0), d_model)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)

    def encode(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError(f"made for images of {self.height} x {self.width}, got {tuple(images.shape)}")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat((self.class_token.repeat(tokens.shape[0], 1, 1), tokens), dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.READERS[self.pool](self.encode(images)))


# %% correct: the class token padded in

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError("pool must be class, first, last or mean")
        size = (image_size,) * 2 if isinstance(image_size, int) else tuple(image_size)
        if any(length % patch_size for length in size):
            raise ValueError("the patches must tile the image")
        self.size = size
        self.extra = 1 if pool == "class" else 0
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.extra:
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) / d_model**0.5)
        self.positions = LearnedPositionalEncoding(self.extra + size[0] * size[1] // patch_size**2, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=nn.functional.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)
        self.pool = pool

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.size:
            raise ValueError(f"images must be of size {self.size}, got {tuple(images.shape)}")
        x = self.patches(images)
        if self.extra:
            x = F.pad(x, (0, 0, 1, 0))
            first = torch.arange(x.shape[1], device=x.device).eq(0).view(1, -1, 1)
            x = torch.where(first, self.class_token, x)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        z = self.encode(images)
        T = z.shape[1]
        share = z.new_zeros(T)
        if self.pool == "mean":
            share[:] = 1 / T
        else:
            share[T - 1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("t,btd->bd", share, z))
