# %% wrong: the encoder's activation is left at relu
# activation=F.gelu is not passed, and TransformerEncoder's default is relu: every model's
# numbers differ.

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
            raise ValueError(f"no such pool: {pool}")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        height, width = image_size
        if height % patch_size or width % patch_size:
            raise ValueError("the patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            tokens += 1
        self.positions = LearnedPositionalEncoding(tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"expected {self.image_size}, got {tuple(images.shape[-2:])}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1] if self.pool == "last" else x[:, 0])


# %% wrong: the class token comes after the positions
# Positions are added to the patches only, N rows of them, and the class token is put in front
# afterwards: with "class" the table has a row too few and the token has no position.

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
        self.height, self.width = (
            (image_size, image_size) if isinstance(image_size, int) else image_size
        )
        if self.height % patch_size or self.width % patch_size:
            raise ValueError("patch_size must divide the image's height and width")
        num_patches = (self.height // patch_size) * (self.width // patch_size)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(num_patches, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.encoder = TransformerEncoder(
            d_model,
            num_heads,
            d_ff,
            num_layers,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != (self.height, self.width):
            raise ValueError("an image of another size")
        x = self.positions(self.patches(images))
        if self.pool == "class":
            front = self.class_token.expand(images.shape[0], 1, -1)
            x = torch.cat((front, x), dim=1)
        return self.encoder(x)

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool in ("class", "first"):
            pooled = x[:, 0]
        elif self.pool == "last":
            pooled = x[:, -1]
        else:
            pooled = x.mean(dim=1)
        return self.head(pooled)


# %% wrong: the size is checked by the number of patches
# A picture is refused only where its number of patches differs: a model for 8 x 12 takes 12 x 8
# (as many patches in another arrangement) without an error.

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
        height, width = (image_size,) * 2 if isinstance(image_size, int) else image_size
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        self.num_patches = height * width // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(
            self.num_patches + (pool == "class"), d_model
        )
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"{x.shape[1]} patches instead of {self.num_patches}")
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            x = x.mean(dim=1)
        else:
            x = x[:, {"class": 0, "first": 0, "last": -1}[self.pool]]
        return self.head(x)


# %% wrong: a class token for every pool
# The token is always there, and first, last and mean just leave it out when they read: with
# these three, encode returns N + 1 tokens and there is a parameter too many.

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
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        self.image_size = tuple(image_size)
        if any(side % patch_size for side in self.image_size):
            raise ValueError("patches do not tile image_size")
        rows, columns = (side // patch_size for side in self.image_size)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(rows * columns + 1, d_model)
        self.encoder = TransformerEncoder(
            d_model,
            num_heads,
            d_ff,
            num_layers,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
            norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("wrong image size")
        tokens = self.patches(images)
        front = self.class_token.expand(len(tokens), -1, -1)
        return self.encoder(self.positions(torch.cat([front, tokens], dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        read = {
            "class": lambda: tokens[:, 0],
            "first": lambda: tokens[:, 1],
            "last": lambda: tokens[:, -1],
            "mean": lambda: tokens[:, 1:].mean(dim=1),
        }
        return self.head(read[self.pool]())


# %% correct: an empty row in front, filled by addition
# The patches are padded with a row of zeros, and the class token, padded likewise, is added.
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
        self.read = {
            "class": lambda x: x.select(1, 0),
            "first": lambda x: x.select(1, 0),
            "last": lambda x: x.select(1, x.shape[1] - 1),
            "mean": lambda x: x.sum(dim=1) / x.shape[1],
        }.get(pool)
        if self.read is None:
            raise ValueError(f"unknown pool {pool!r}")
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if self.size[0] % patch_size or self.size[1] % patch_size:
            raise ValueError(f"patches of {patch_size} do not tile {self.size}")
        self.extra = int(pool == "class")
        number = (self.size[0] // patch_size) * (self.size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.extra:
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(self.extra + number, d_model)
        options = {"activation": F.gelu, "layer_norm_eps": layer_norm_eps}
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, **options)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if (images.shape[-2], images.shape[-1]) != self.size:
            raise ValueError(f"made for {self.size}, got {tuple(images.shape)}")
        x = self.patches(images)
        if self.extra:
            x = F.pad(x, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, x.shape[1]))
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.read(self.encode(images)))


# %% correct: every pool is the mean of a stretch of tokens
# Start and length of the stretch are kept; the tokens are written into one new tensor.
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
        self.height, self.width = (
            [image_size] * 2 if isinstance(image_size, int) else image_size
        )
        rows, left_over = divmod(self.height, patch_size)
        columns, too = divmod(self.width, patch_size)
        if left_over or too:
            raise ValueError("the patches do not tile the image")
        count = rows * columns
        match pool:
            case "class":
                self.stretch, tokens = (0, 1), count + 1
                self.class_token = nn.Parameter(torch.randn(1, 1, d_model) / d_model)
            case "first":
                self.stretch, tokens = (0, 1), count
            case "last":
                self.stretch, tokens = (count - 1, 1), count
            case "mean":
                self.stretch, tokens = (0, count), count
            case _:
                raise ValueError(f"pool cannot be {pool!r}")
        self.tokens = tokens
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(tokens, d_model)
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
        if images.size(2) != self.height or images.size(3) != self.width:
            raise ValueError(f"the model takes {self.height} x {self.width} pixels only")
        words = self.patches(images)
        x = words.new_zeros(words.size(0), self.tokens, words.size(2))
        x[:, self.tokens - words.size(1) :] = words
        if hasattr(self, "class_token"):
            x[:, 0] = self.class_token[0, 0]
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.encode(images).narrow(1, *self.stretch).mean(dim=1))
