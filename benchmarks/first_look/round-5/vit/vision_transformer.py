# %% wrong: positions added before the class token is put in front
# The table has a row for each patch only; the class token gets no position, and its parameters are one row short.

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
            raise ValueError(f"unknown pool {pool}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size = (height, width)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        num_patches = (height // patch_size) * (width // patch_size)
        self.positions = LearnedPositionalEncoding(num_patches, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError("images of another size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1] if self.pool == "last" else tokens[:, 0])


# %% wrong: the size is checked by the number of patches
# A picture of another shape with equally many patches, 8 x 12 in the place of 12 x 8, passes without a ValueError.

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
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        if image_size[0] % patch_size != 0 or image_size[1] % patch_size != 0:
            raise ValueError("patch size does not divide the image size")
        self.num_patches = (image_size[0] // patch_size) * (image_size[1] // patch_size)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        num_tokens = self.num_patches
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
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
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"expected {self.num_patches} patches, got {x.shape[1]}")
        if self.pool == "class":
            x = torch.cat((self.class_token.repeat(x.shape[0], 1, 1), x), dim=1)
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


# %% wrong: the epsilon of the norms stays behind
# layer_norm_eps is taken and not handed on, so the encoder norms with PyTorch's 1e-5 whatever was asked for.

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
            raise ValueError(pool)
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if self.size[0] % patch_size or self.size[1] % patch_size:
            raise ValueError("the patches must tile the image")
        self.pool = pool
        self.layer_norm_eps = layer_norm_eps
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        length = self.size[0] * self.size[1] // patch_size**2
        if pool == "class":
            length = length + 1
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(length, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, activation=F.gelu, norm_first=True)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if (images.shape[2], images.shape[3]) != self.size:
            raise ValueError("wrong image size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(tokens.shape[0], 1, -1), tokens], 1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(1))
        if self.pool == "last":
            return self.head(tokens[:, -1])
        return self.head(tokens[:, 0])


# %% wrong: an or that is always true
# `pool == "first" or "class"` holds for every pool, so that last and mean read the first patch too.

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
        if isinstance(image_size, int):
            self.height = self.width = image_size
        else:
            self.height, self.width = image_size
        if self.height % patch_size != 0 or self.width % patch_size != 0:
            raise ValueError("image size must be a multiple of the patch size")
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        n = (self.height // patch_size) * (self.width // patch_size)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
            n += 1
        self.positions = LearnedPositionalEncoding(n, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("images have another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        x = self.positions(x)
        return self.encoder(x)

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "first" or "class":
            out = x[:, 0]
        elif self.pool == "last":
            out = x[:, -1]
        else:
            out = x.mean(dim=1)
        return self.head(out)


# %% wrong: a class token for every pool
# The class token is made and put in front whatever the pool is; first reads it, and the mean runs over it too.

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
        self.readers = {
            "class": lambda x: x[:, 0],
            "first": lambda x: x[:, 0],
            "last": lambda x: x[:, -1],
            "mean": lambda x: x.mean(dim=1),
        }
        if pool not in self.readers:
            raise ValueError(f"pool {pool!r} is none of {list(self.readers)}")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        rows, columns = self.image_size[0] / patch_size, self.image_size[1] / patch_size
        if rows != int(rows) or columns != int(columns):
            raise ValueError("patches do not tile the image")
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(int(rows) * int(columns) + 1, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("this model was made for another size")
        tokens = self.patches(images)
        tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.readers[self.pool](self.encode(images)))


# %% correct: a class for every way of reading

class _Reader:
    extra_tokens = 0

    def read(self, tokens):
        raise NotImplementedError


class _At(_Reader):
    def __init__(self, place, extra_tokens=0):
        self.place = place
        self.extra_tokens = extra_tokens

    def read(self, tokens):
        return tokens.select(1, self.place)


class _Average(_Reader):
    def read(self, tokens):
        return tokens.sum(dim=1) / tokens.shape[1]


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
        readers = {"class": _At(0, extra_tokens=1), "first": _At(0), "last": _At(-1), "mean": _Average()}
        if pool not in readers:
            raise ValueError(f"pool must be one of {', '.join(readers)}, got {pool!r}")
        self.reader = readers[pool]
        try:
            self.height, self.width = image_size
        except TypeError:
            self.height = self.width = image_size
        grid = []
        for side in (self.height, self.width):
            count, rest = divmod(side, patch_size)
            if rest:
                raise ValueError(f"patches of {patch_size} do not tile {self.height} x {self.width}")
            grid.append(count)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.reader.extra_tokens:
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
        self.positions = LearnedPositionalEncoding(grid[0] * grid[1] + self.reader.extra_tokens, d_model)
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
        if images.dim() != 4 or images.size(2) != self.height or images.size(3) != self.width:
            raise ValueError(f"images must be {self.height} x {self.width}, got {tuple(images.shape)}")
        stream = self.patches(images)
        if self.reader.extra_tokens:
            batch, _, features = stream.shape
            longer = stream.new_empty(batch, stream.shape[1] + 1, features)
            longer[:, 1:] = stream
            longer[:, :1] = self.class_token
            stream = longer
        return self.encoder(self.positions(stream))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.reader.read(self.encode(images)))


# %% correct: the pool as shares of the tokens

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
        size = torch.Size([image_size] * 2 if isinstance(image_size, int) else image_size)
        if any(side % patch_size for side in size):
            raise ValueError(f"{patch_size} does not divide {tuple(size)}")
        length = size.numel() // patch_size**2
        if pool == "class":
            length += 1
            self.shares = [1.0] + [0.0] * (length - 1)
        elif pool == "first":
            self.shares = [1.0] + [0.0] * (length - 1)
        elif pool == "last":
            self.shares = [0.0] * (length - 1) + [1.0]
        elif pool == "mean":
            self.shares = [1 / length] * length
        else:
            raise ValueError(f"there is no pool {pool!r}")
        self.size = size
        self.add_module("patches", PatchEmbedding(patch_size, num_channels, d_model))
        if pool == "class":
            self.register_parameter("class_token", nn.Parameter(torch.zeros(1, 1, d_model)))
        self.add_module("positions", LearnedPositionalEncoding(length, d_model))
        settings = {"dropout": 0.0, "activation": F.gelu, "layer_norm_eps": layer_norm_eps, "norm_first": True}
        self.add_module("encoder", TransformerEncoder(d_model, num_heads, d_ff, num_layers, **settings))
        self.add_module("head", nn.Linear(d_model, num_classes))

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.size:
            raise ValueError(f"made for images of {tuple(self.size)}, got {tuple(images.shape[2:])}")
        words = self.patches(images)
        if hasattr(self, "class_token"):
            words = F.pad(words, (0, 0, 1, 0))
            first = torch.zeros_like(words[:1])
            first[:, 0] = 1
            words = words + first * self.class_token
        return self.encoder(self.positions(words))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        shares = torch.tensor(self.shares, dtype=tokens.dtype, device=tokens.device)
        return self.head(torch.einsum("btd,t->bd", tokens, shares))
