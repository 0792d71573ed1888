# %% wrong: relu, the encoder's default
# activation is not passed on, so the encoder's feed-forward parts use F.relu and not F.gelu. All parameters fit; the outputs differ
# for every image.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"no pool {pool!r}")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        H, W = image_size
        if H % patch_size or W % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (H, W), pool
        num_tokens = (H // patch_size) * (W // patch_size)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
            num_tokens += 1
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images of {self.image_size} only")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1] if self.pool == "last" else x[:, 0])


# %% wrong: the class token without a position
# Positions are added to the patches, and the class token is put in front afterwards. The table has one row too few with "class",
# and the class token gets no position.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        height, width = (image_size,) * 2 if isinstance(image_size, int) else image_size
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError("pool is class, first, last or mean")
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError("patch_size has to divide height and width")
        self.height, self.width, self.pool = height, width, pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(height * width // patch_size**2, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("an image of another size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            front = self.class_token.repeat(tokens.shape[0], 1, 1)
            tokens = torch.cat((front, tokens), dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool in ("class", "first"):
            chosen = tokens[:, 0]
        elif self.pool == "last":
            chosen = tokens[:, -1]
        else:
            chosen = tokens.mean(1)
        return self.head(chosen)


# %% wrong: as many patches, in another arrangement
# Refuses an image by its number of patches. 4 x 16 pixels pass a model made for 8 x 8 without a ValueError: as many patches, but
# other places.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ["class", "first", "last", "mean"]:
            raise ValueError(f"unknown pool: {pool}")
        H, W = image_size if isinstance(image_size, (tuple, list)) else (image_size, image_size)
        if H % patch_size or W % patch_size:
            raise ValueError(f"{patch_size} does not tile {H} x {W}")
        self.pool = pool
        self.num_patches = (H // patch_size) * (W // patch_size)
        extra = 0
        if pool == "class":
            extra = 1
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(self.num_patches + extra, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers,
            dropout=0.0, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"{x.shape[1]} patches, but {self.num_patches} positions")
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], 1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        match self.pool:
            case "mean":
                x = x.mean(dim=1)
            case "last":
                x = x[:, -1]
            case _:
                x = x[:, 0]
        return self.head(x)


# %% wrong: another pool is noticed too late
# A pool that does not exist raises its ValueError in forward, when the head is to read. The constructor takes pool="max" without a
# word, and so does encode.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if isinstance(image_size, int):
            image_size = image_size, image_size
        self.image_size = tuple(image_size)
        if any(side % patch_size for side in self.image_size):
            raise ValueError("patches do not tile image_size")
        self.pool = pool
        N = (self.image_size[0] // patch_size) * (self.image_size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(N + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[-2:] != self.image_size:
            raise ValueError("an image of another height or width")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(images), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "class" or self.pool == "first":
            return self.head(x[:, 0])
        if self.pool == "last":
            return self.head(x[:, -1])
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        raise ValueError(f"another pool: {self.pool}")


# %% correct: every pool is the mean of a slice

class VisionTransformer(nn.Module):
    READ = {"class": slice(0, 1), "first": slice(0, 1), "last": slice(-1, None), "mean": slice(None)}

    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in self.READ:
            raise ValueError(f"pool is one of {sorted(self.READ)}")
        self.read = self.READ[pool]
        self.size = [image_size] * 2 if isinstance(image_size, int) else list(image_size)
        if self.size[0] % patch_size or self.size[1] % patch_size:
            raise ValueError(f"patches of {patch_size} do not tile {self.size}")
        self.front = int(pool == "class")
        length = self.front + (self.size[0] // patch_size) * (self.size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.front:
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(length, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if list(images.shape[-2:]) != self.size:
            raise ValueError(f"made for images of {self.size}, not {list(images.shape[-2:])}")
        words = self.patches(images)
        B, N, D = words.shape
        tokens = words.new_empty(B, self.front + N, D)
        tokens[:, self.front :] = words
        if self.front:
            tokens[:, :1] = self.class_token
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.encode(images)[:, self.read].mean(dim=1))


# %% correct: pooling by a row of weights

class VisionTransformer(nn.Module):
    """The class token is added onto a row of zeros in front of the patches."""

    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes,
        pool="class", num_channels=3, layer_norm_eps=1e-6,
    ):
        super().__init__()
        try:
            height, width = image_size
        except TypeError:
            height = width = image_size
        rows, rest_below = divmod(height, patch_size)
        columns, rest_right = divmod(width, patch_size)
        if rest_below or rest_right:
            raise ValueError("the patches do not tile the image")
        N = rows * columns
        if pool == "class":
            shares = [1.0] + [0.0] * N
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        elif pool == "first":
            shares = [1.0] + [0.0] * (N - 1)
        elif pool == "last":
            shares = [0.0] * (N - 1) + [1.0]
        elif pool == "mean":
            shares = [1 / N] * N
        else:
            raise ValueError(f"the head cannot read {pool!r}")
        self.height, self.width, self.shares = height, width, shares
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(len(shares), d_model)
        self.encoder = TransformerEncoder(
            d_model,
            num_heads,
            d_ff,
            num_layers,
            dropout=0.0,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        H, W = images.shape[-2:]
        if H != self.height or W != self.width:
            raise ValueError(f"{H} x {W} is not {self.height} x {self.width}")
        tokens = self.patches(images)
        if hasattr(self, "class_token"):
            below = tokens.shape[1]
            tokens = F.pad(tokens, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, below))
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        return self.head(torch.einsum("t,btd->bd", tokens.new_tensor(self.shares), tokens))
