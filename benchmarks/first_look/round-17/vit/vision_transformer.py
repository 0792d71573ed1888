# %% wrong: (height, width) read as width, height
# The two are swapped when image_size is taken apart. Right for squares; a model for (8, 12) refuses images of 8 x 12 and takes
# 12 x 8.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool {pool}")
        self.width, self.height = image_size if isinstance(image_size, (tuple, list)) else (image_size, image_size)
        if self.height % patch_size or self.width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_tokens = (self.height // patch_size) * (self.width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("images of another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        z = self.encode(images)
        if self.pool == "mean":
            return self.head(z.mean(dim=1))
        return self.head(z[:, -1] if self.pool == "last" else z[:, 0])


# %% wrong: whether the patches tile is left to the first call
# "PatchEmbedding raises it anyway." But not before images come: the constructor takes image_size 9 with patches of 2, and
# (4, 9) with 6, where it has to raise ValueError.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"unknown pool: {pool}")
        self.pool = pool
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        height, width = self.image_size
        count = height * width // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(count + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"made for {self.image_size}")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), 1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            chosen = tokens.mean(dim=1)
        elif self.pool == "last":
            chosen = tokens[:, -1]
        else:
            chosen = tokens[:, 0]
        return self.head(chosen)


# %% wrong: a class token in every model, used in one
# class_token is made whatever pool is, and left aside unless pool is "class". Shows for the other three in the parameters
# and the state dict, and as a parameter that never gets a gradient.

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(pool)
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if self.size[0] % patch_size or self.size[1] % patch_size:
            raise ValueError("patch_size must divide height and width")
        self.pool = pool
        n = (self.size[0] // patch_size) * (self.size[1] // patch_size)
        self.class_token = nn.Parameter(torch.randn(1, 1, d_model))
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(n + 1 if pool == "class" else n, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.size:
            raise ValueError("wrong size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(len(x), 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        pooled = {"class": x[:, 0], "first": x[:, 0], "last": x[:, -1], "mean": x.mean(dim=1)}[self.pool]
        return self.head(pooled)


# %% wrong: the size is checked in forward, and encode takes anything smaller
# encode has to raise ValueError as well. It takes an image with fewer patches (the first positions are used), and one of
# 12 x 8 in a model for (8, 12).

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"pool is {pool}")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        self.height, self.width = image_size
        if self.height % patch_size != 0 or self.width % patch_size != 0:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_patches = (self.height // patch_size) * (self.width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_patches += 1
        self.positions = LearnedPositionalEncoding(num_patches, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        if images.shape[2:] != (self.height, self.width):
            raise ValueError(f"images must be {self.height} x {self.width}")
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        if self.pool == "last":
            return self.head(x[:, -1])
        return self.head(x[:, 0])


# %% correct: room for the class token by padding, reading by a row of weights

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"pool must be class, first, last or mean, got {pool!r}")
        self.image_size = tuple(image_size) if hasattr(image_size, "__len__") else (image_size,) * 2
        if any(side % patch_size for side in self.image_size):
            raise ValueError(f"patches of {patch_size} do not tile {self.image_size}")
        self.pool = pool
        self.extra = int(pool == "class")
        rows, columns = (side // patch_size for side in self.image_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.extra:
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
        self.positions = LearnedPositionalEncoding(rows * columns + self.extra, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers,
            dropout=0.0, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"made for {self.image_size}, got {tuple(images.shape[2:])}")
        tokens = F.pad(self.patches(images), (0, 0, self.extra, 0))
        if self.extra:
            is_class = torch.arange(tokens.shape[1], device=tokens.device).view(1, -1, 1) == 0
            tokens = torch.where(is_class, self.class_token, tokens)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        share = tokens.new_zeros(tokens.shape[1])
        if self.pool == "mean":
            share += 1 / len(share)
        else:
            share[-1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("t,btd->bd", share, tokens))


# %% correct: the head on every token, then the logits of the right ones; the patches counted by a trial run

class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        try:
            height, width = image_size
        except TypeError:
            height = width = image_size
        self.expected = [num_channels, height, width]
        if pool == "mean":
            self.read = slice(None)
        elif pool == "last":
            self.read = slice(-1, None)
        elif pool in ("class", "first"):
            self.read = slice(0, 1)
        else:
            raise ValueError(f"no such pool: {pool}")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        # patchify says how many there are, and raises ValueError where they do not tile
        count = patchify(torch.zeros(1, 1, height, width), patch_size).shape[1]
        self.with_class_token = pool == "class"
        if self.with_class_token:
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            count += 1
        self.positions = LearnedPositionalEncoding(count, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if list(images.shape[1:]) != self.expected:
            raise ValueError(f"expected images {self.expected}, got {list(images.shape[1:])}")
        tokens = list(self.patches(images).unbind(dim=1))
        if self.with_class_token:
            tokens.insert(0, self.class_token[0].expand(len(images), -1))
        return self.encoder(self.positions(torch.stack(tokens, dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.encode(images))[:, self.read].mean(dim=1)
