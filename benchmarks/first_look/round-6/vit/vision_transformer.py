# %% wrong: only the number of patches is checked
# An image of another size is refused if it has another number of patches. One of 8 x 4 pixels passes
# where the model was made for 4 x 8, and gets positions that are not its own.

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
            raise ValueError(f"unknown pool {pool!r}")
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
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError(f"expected {self.num_patches} patches, got {tokens.shape[1]}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        encoded = self.encode(images)
        if self.pool == "mean":
            return self.head(encoded.mean(dim=1))
        return self.head(encoded[:, -1 if self.pool == "last" else 0])


# %% wrong: a class token whether it is read or not
# Every pool puts the learned token before the patches; the three others only skip it when they read.
# They should have no class token at all, and one token fewer.

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
            raise ValueError("pool must be class, first, last or mean")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        self.pool = pool
        if self.image_size[0] % patch_size or self.image_size[1] % patch_size:
            raise ValueError("patches do not tile the image")
        n = (self.image_size[0] // patch_size) * (self.image_size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(n + 1, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("the images have another size")
        tokens = self.patches(images)
        tokens = torch.cat([self.class_token.expand(tokens.shape[0], 1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        patches = tokens[:, 1:]
        read = {"class": tokens[:, 0], "first": patches[:, 0], "last": patches[:, -1], "mean": patches.mean(1)}
        return self.head(read[self.pool])


# %% wrong: the epsilon of the norms is not handed on
# layer_norm_eps is taken and then forgotten, so that the encoder keeps its 1e-5. Ordinary outputs are
# off by very little; published weights do not give what they should.

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
        if pool not in ["class", "first", "last", "mean"]:
            raise ValueError(f"pool: {pool}")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        self.height, self.width = image_size
        if self.height % patch_size or self.width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        length = (self.height // patch_size) * (self.width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            length += 1
        self.positions = LearnedPositionalEncoding(length, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, activation=F.gelu)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[-2:] != (self.height, self.width):
            raise ValueError("images of another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool in ("class", "first"):
            x = x[:, 0]
        elif self.pool == "last":
            x = x[:, -1]
        else:
            x = x.mean(dim=1)
        return self.head(x)


# %% wrong: the class token comes after the positions
# Positions are added to the patches and the class token is put before them afterwards: it has no
# position, patch 1 has the row that was meant for the token, and the table's last row is never used.

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
            raise ValueError("no such pool: " + str(pool))
        size = image_size if isinstance(image_size, (tuple, list)) else (image_size, image_size)
        if size[0] % patch_size != 0 or size[1] % patch_size != 0:
            raise ValueError("the patches do not fit")
        self.size, self.pool = tuple(size), pool
        tokens = size[0] * size[1] // patch_size**2 + int(pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.positions = LearnedPositionalEncoding(tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.size:
            raise ValueError(f"images must be of {self.size}")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat((self.class_token.expand(images.shape[0], -1, -1), tokens), dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        out = self.encode(images)
        if self.pool == "mean":
            out = out.mean(dim=1)
        elif self.pool == "last":
            out = out[:, -1]
        else:
            out = out[:, 0]
        return self.head(out)


# %% wrong: a pair of sizes is read as width and height
# image_size as a pair is unpacked as (width, height), as image libraries have it. Square pictures work,
# and those that are not square are refused, while the turned ones pass.

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
            raise ValueError("unknown pool")
        if not isinstance(image_size, tuple):
            image_size = (image_size, image_size)
        self.width, self.height = image_size
        if self.width % patch_size or self.height % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        n = self.width // patch_size * (self.height // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model)) if pool == "class" else None
        self.positions = LearnedPositionalEncoding(n + 1 if pool == "class" else n, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("wrong size")
        tokens = self.patches(images)
        if self.class_token is not None:
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        token = {"class": 0, "first": 0, "last": -1}.get(self.pool)
        return self.head(tokens.mean(dim=1) if token is None else tokens[:, token])


# %% correct: a table of ways to read

READ = {
    "class": lambda tokens: tokens.select(1, 0),
    "first": lambda tokens: tokens.select(1, 0),
    "last": lambda tokens: tokens.select(1, tokens.shape[1] - 1),
    "mean": lambda tokens: tokens.sum(dim=1) / tokens.shape[1],
}


def two_sides(size) -> tuple[int, int]:
    return tuple(size) if isinstance(size, (tuple, list)) else (size, size)


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
        if pool not in READ:
            raise ValueError(f"pool is one of {', '.join(READ)}, not {pool!r}")
        self.sides, self.pool = two_sides(image_size), pool
        counts = [divmod(side, patch_size) for side in self.sides]
        if any(rest for _, rest in counts):
            raise ValueError(f"patches of {patch_size} do not tile {self.sides}")
        front = 1 if pool == "class" else 0
        if front:
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(front + counts[0][0] * counts[1][0], d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or tuple(images.shape[2:]) != self.sides:
            raise ValueError(f"images of {self.sides} wanted, got {tuple(images.shape)}")
        tokens = [self.patches(images)]
        if self.pool == "class":
            tokens.insert(0, self.class_token.repeat(images.shape[0], 1, 1))
        return self.encoder(self.positions(torch.cat(tokens, dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(READ[self.pool](self.encode(images)))


# %% correct: an empty place in front and logits before pooling

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
        try:
            height, width = image_size
        except TypeError:
            height = width = image_size
        match pool:
            case "class":
                self.extra = 1
                self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            case "first" | "last" | "mean":
                self.extra = 0
            case _:
                raise ValueError(f"there is no pool {pool!r}")
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError("the image cannot be tiled with such patches")
        self.height, self.width, self.pool = height, width, pool
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
        self.positions = LearnedPositionalEncoding(
            (height // patch_size) * (width // patch_size) + self.extra, d_model
        )
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)

    def encode(self, images: Tensor) -> Tensor:
        if images.ndim != 4 or [*images.shape[-2:]] != [self.height, self.width]:
            raise ValueError(f"images must be {self.height} by {self.width} pixels")
        tokens = F.pad(self.patches(images), (0, 0, self.extra, 0))
        if self.extra:
            tokens = tokens + F.pad(self.class_token, (0, 0, 0, tokens.shape[1] - 1))
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        every = self.head(self.encode(images))  # the head is linear, so the mean may come after it
        if self.pool == "mean":
            return every.mean(dim=1)
        return every[:, -1] if self.pool == "last" else every[:, 0]
