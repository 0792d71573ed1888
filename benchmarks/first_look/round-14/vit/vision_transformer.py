# %% wrong: layer_norm_eps stays behind
# The constructor takes it and does not hand it on, so the encoder's norms have their default 1e-5
# and not 1e-6. Shows where a token's variance is small, or with a large layer_norm_eps.

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
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"no pool {pool!r}")
        if height % patch_size or width % patch_size:
            raise ValueError("the patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, activation=F.gelu)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, not {self.image_size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1 if self.pool == "last" else 0])


# %% wrong: the picture's size is checked by its number of patches
# A picture of 4 x 16 passes for one of 8 x 8: as many patches, in another arrangement, and the
# positions are those of another grid. No ValueError.

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
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"no pool {pool!r}")
        if height % patch_size or width % patch_size:
            raise ValueError("the patches do not tile the image")
        self.pool = pool
        self.num_patches = height * width // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.positions = LearnedPositionalEncoding(self.num_patches + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"{x.shape[1]} patches, but {self.num_patches} positions")
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1 if self.pool == "last" else 0])


# %% wrong: the class token gets no position
# Positions are added to the patches, and the class token is put in front afterwards. It lacks its
# row, every patch has that of the one before, and the last row is never used. Only "class" shows it.

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
        self.height, self.width = (image_size,) * 2 if isinstance(image_size, int) else image_size
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"no pool {pool!r}")
        if self.height % patch_size or self.width % patch_size:
            raise ValueError("the patches do not tile the image")
        self.pool = pool
        count = (self.height // patch_size) * (self.width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            count += 1
        self.positions = LearnedPositionalEncoding(count, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("a picture of another size")
        x = self.positions(self.patches(images))
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(len(x), 1, 1), x], dim=1)
        return self.encoder(x)

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1 if self.pool == "last" else 0])


# %% wrong: a class token whatever the pool
# The token is always there, only not always read. With "first", "last" and "mean" the model has a
# parameter, a position and a token too many, and its patches attend to it.

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
        size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"no pool {pool!r}")
        if size[0] % patch_size or size[1] % patch_size:
            raise ValueError("the patches do not tile the image")
        self.size, self.pool = size, pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(
            1 + (size[0] // patch_size) * (size[1] // patch_size), d_model
        )
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.size:
            raise ValueError("a picture of another size")
        x = self.patches(images)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        read = {"class": x[:, 0], "first": x[:, 1], "last": x[:, -1], "mean": x[:, 1:].mean(dim=1)}
        return self.head(read[self.pool])


# %% correct: every pool as a weight for each token

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
        self.size = [image_size] * 2 if isinstance(image_size, int) else list(image_size)
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"{pool!r} is none of class, first, last and mean")
        if [side % patch_size for side in self.size] != [0, 0]:
            raise ValueError(f"patches of {patch_size} do not tile {self.size}")
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        count = self.size[0] // patch_size * (self.size[1] // patch_size)
        if pool == "class":
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
            count += 1
        self.positions = LearnedPositionalEncoding(count, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers,
            dropout=0.0, norm_first=True, activation=F.gelu, layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if list(images.shape[-2:]) != self.size:
            raise ValueError(f"made for {self.size}, not for {list(images.shape[-2:])}")
        tokens = self.patches(images)
        if self.pool == "class":
            # an empty place in front, which the class token fills
            empty = F.pad(tokens, (0, 0, 1, 0))
            first = torch.zeros_like(empty[0, :, :1])
            first[0] = 1
            tokens = empty + first * self.class_token
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        share = tokens.new_zeros(tokens.shape[1])
        if self.pool == "mean":
            share += 1 / len(share)
        else:
            share[len(share) - 1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("btd,t->bd", tokens, share))


# %% correct: the head on all tokens, and the logits pooled

class VisionTransformer(nn.Module):
    readers = {
        "class": lambda logits: logits.select(1, 0),
        "first": lambda logits: logits.select(1, 0),
        "last": lambda logits: logits.select(1, logits.shape[1] - 1),
        "mean": lambda logits: logits.sum(dim=1) / logits.shape[1],
    }

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
        if pool not in self.readers:
            raise ValueError(f"pool is one of {', '.join(self.readers)}, not {pool}")
        self.read = self.readers[pool]
        try:
            self.height, self.width = image_size
        except TypeError:
            self.height = self.width = image_size
        rows, below = divmod(self.height, patch_size)
        columns, beside = divmod(self.width, patch_size)
        if below or beside:
            raise ValueError(f"{below} rows and {beside} columns of pixels are left over")
        self.has_class = pool == "class"
        if self.has_class:
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.head = nn.Linear(d_model, num_classes, bias=True)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, layer_norm_eps=layer_norm_eps, activation=F.gelu
        )
        self.positions = LearnedPositionalEncoding(rows * columns + self.has_class, d_model)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)

    def encode(self, images: Tensor) -> Tensor:
        *_, height, width = images.shape
        if height != self.height or width != self.width:
            raise ValueError(f"{height} x {width} pixels instead of {self.height} x {self.width}")
        words = self.patches(images)
        if self.has_class:
            words = torch.stack([torch.vstack([self.class_token[0], sentence]) for sentence in words])
        return self.encoder(self.positions(words))

    def forward(self, images: Tensor) -> Tensor:
        return self.read(self.head(self.encode(images)))
