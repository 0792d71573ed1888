# %% wrong: positions before the class token
# The positions are added to the patches, and the class token is put in front afterwards: it has no position, and the
# first patch has the row that is the class token's. Shows for pool="class".


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
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        height, width = self.image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        num_patches = (height // patch_size) * (width // patch_size)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_patches + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError("images of another size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            front = self.class_token.expand(len(tokens), -1, -1)
            tokens = torch.cat([front, tokens], dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: the size is checked by the number of patches
# Only the count is compared. A model for (4, 8) takes images of 8 by 4 and of 2 by 16 with P = 2 without an error,
# though height and width differ.


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
            raise ValueError("pool must be class, first, last or mean")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        if image_size[0] % patch_size or image_size[1] % patch_size:
            raise ValueError("patch_size must divide height and width")
        self.num_patches = (image_size[0] // patch_size) * (image_size[1] // patch_size)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        extra = 0
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            extra = 1
        self.positions = LearnedPositionalEncoding(self.num_patches + extra, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"{x.shape[1]} patches in place of {self.num_patches}")
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            pooled = x.mean(dim=1)
        elif self.pool == "last":
            pooled = x[:, -1]
        else:
            pooled = x[:, 0]
        return self.head(pooled)


# %% wrong: the encoder keeps its own eps
# layer_norm_eps is taken and not passed on, so the encoder's norms have 1e-5 where 1e-6 is the default here. Shows
# in encoder.norm.eps, and in the output with layer_norm_eps=0.1.


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
            raise ValueError(pool)
        height, width = (image_size,) * 2 if isinstance(image_size, int) else image_size
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError("the patches do not tile the image")
        self.height, self.width, self.pool = height, width, pool
        T = height * width // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            T += 1
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.positions = LearnedPositionalEncoding(T, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.gelu, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("another height or width")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(len(x), 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        pooled = {"class": x[:, 0], "first": x[:, 0], "last": x[:, -1], "mean": x.mean(dim=1)}
        return self.head(pooled[self.pool])


# %% wrong: a class token in every model
# The parameter is made whatever the pool and goes in always; the patches are picked behind it. "These three have no
# class token, and one token fewer": encode gives N + 1 tokens for "first", "last" and "mean".


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
            raise ValueError(f"pool is {pool}")
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if any(side % patch_size for side in self.size):
            raise ValueError("patches do not tile the image")
        num_patches = self.size[0] * self.size[1] // patch_size**2
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_patches + 1, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[-2:] != self.size:
            raise ValueError("images of another size")
        x = self.patches(images)
        x = torch.cat([self.class_token.expand(len(x), 1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "class":
            return self.head(x[:, 0])
        x = x[:, 1:]
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, 0] if self.pool == "first" else x[:, -1])


# %% correct: the head on every token, pooled afterwards


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
        readers = {
            "class": lambda logits: logits[:, 0],
            "first": lambda logits: logits[:, 0],
            "last": lambda logits: logits[:, -1],
            "mean": lambda logits: logits.mean(dim=1),  # the head is linear: its mean is that of the mean
        }
        if pool not in readers:
            raise ValueError(f"pool must be one of {list(readers)}, got {pool!r}")
        self.read = readers[pool]
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError(f"squares of {patch_size} do not tile {height} by {width}")
        self.shape = [height, width]
        self.head = nn.Linear(d_model, num_classes)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        tokens = (height // patch_size) * (width // patch_size)
        self.register_parameter("class_token", None)
        if pool == "class":
            tokens += 1
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
        self.positions = LearnedPositionalEncoding(tokens, d_model)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)

    def encode(self, images: Tensor) -> Tensor:
        if list(images.shape[2:]) != self.shape:
            raise ValueError(f"images of {self.shape} only, got {list(images.shape[2:])}")
        words = self.patches(images)
        if self.class_token is not None:
            words = torch.hstack([self.class_token.repeat(images.shape[0], 1, 1), words])
        return self.encoder(self.positions(words))

    def forward(self, images: Tensor) -> Tensor:
        return self.read(self.head(self.encode(images)))


# %% correct: padding for the class token, and a vector of weights that pools


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
            raise ValueError(f"no such pool: {pool!r}")
        try:
            height, width = image_size
        except TypeError:
            height = width = image_size
        rows, columns = height // patch_size, width // patch_size
        if (rows * patch_size, columns * patch_size) != (height, width):
            raise ValueError("the patches do not tile the image")
        self.height, self.width = height, width
        front = int(pool == "class")
        length = front + rows * columns
        weights = torch.zeros(length)
        weights[{"class": 0, "first": 0, "last": -1, "mean": slice(None)}[pool]] = 1.0
        self.register_buffer("pooling", weights, persistent=False)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if front:
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(length, d_model)
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
        if (images.shape[-2], images.shape[-1]) != (self.height, self.width):
            raise ValueError(f"made for {self.height} by {self.width} pixels")
        x = self.patches(images)
        if hasattr(self, "class_token"):
            rest = self.class_token.new_zeros(1, x.shape[1], x.shape[2])
            x = F.pad(x, (0, 0, 1, 0)) + torch.cat([self.class_token, rest], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        pooled = torch.einsum("t,btd->bd", self.pooling, self.encode(images))
        return self.head(pooled / self.pooling.sum())
