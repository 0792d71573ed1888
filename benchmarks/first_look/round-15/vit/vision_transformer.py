# %% wrong: a picture on its side is let in
# encode compares the number of patches, not height and width. With image_size (8, 16) a picture
# of 16 x 8 has as many patches, and gets the positions of another arrangement without an error.

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
            raise ValueError(f"unknown pool {pool!r}")
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        self.num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(self.num_patches + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError("a picture of another size")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        encoded = self.encode(images)
        if self.pool == "mean":
            return self.head(encoded.mean(dim=1))
        return self.head(encoded[:, -1 if self.pool == "last" else 0])

# %% wrong: the norms keep their own epsilon
# layer_norm_eps is taken and never handed to the encoder, whose norms use 1e-5. Shows in the
# norms' eps, and in the numbers where tokens are small or eps is set to something large.

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
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"no such pool: {pool}")
        if image_size[0] % patch_size or image_size[1] % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = tuple(image_size), pool
        num_tokens = (image_size[0] // patch_size) * (image_size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"made for {self.image_size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        read = {"class": x[:, 0], "first": x[:, 0], "last": x[:, -1], "mean": x.mean(dim=1)}
        return self.head(read[self.pool])

# %% wrong: patches that do not tile are found out too late
# The constructor divides with // and asks nothing, so image_size 10 with patches of 4 makes a
# model; ValueError comes with the first picture (from patchify), not from the constructor.

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
            raise ValueError(f"pool is {pool!r}")
        self.height, self.width = image_size if not isinstance(image_size, int) else 2 * (image_size,)
        self.pool = pool
        rows, columns = self.height // patch_size, self.width // patch_size
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        extra = 0
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model))
            extra = 1
        self.positions = LearnedPositionalEncoding(rows * columns + extra, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("the model was made for another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], 1, x.shape[2]), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool in ("class", "first"):
            return self.head(x[:, 0])
        return self.head(x[:, -1] if self.pool == "last" else x.mean(dim=1))

# %% wrong: a class token whatever the pool
# class_token is made and put in front for every pool, and skipped when reading. With "first",
# "last" and "mean" encode gives N + 1 tokens, and there is a position and a parameter too many.

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
            raise ValueError("unknown pool")
        if any(side % patch_size for side in size):
            raise ValueError("patches do not tile the image")
        self.size, self.pool = size, pool
        num_patches = (size[0] // patch_size) * (size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_patches + 1, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.size:
            raise ValueError(f"expected pictures of {self.size}")
        x = self.patches(images)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x[:, 1:].mean(dim=1))
        return self.head(x[:, {"class": 0, "first": 1, "last": -1}[self.pool]])

# %% correct: the pool as weights of a sum over tokens

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
        height, width = [image_size] * 2 if isinstance(image_size, int) else image_size
        down, left_over = divmod(height, patch_size)
        across, left_over_too = divmod(width, patch_size)
        if left_over or left_over_too:
            raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
        count = down * across
        shares = {
            "class": [1.0] + [0.0] * count,
            "first": [1.0] + [0.0] * (count - 1),
            "last": [0.0] * (count - 1) + [1.0],
            "mean": [1 / count] * count,
        }
        if pool not in shares:
            raise ValueError(f"pool must be one of {', '.join(shares)}")
        self.shares, self.made_for = shares[pool], torch.Size([height, width])
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.register_parameter("class_token", nn.Parameter(torch.randn(1, 1, d_model)))
        self.positions = LearnedPositionalEncoding(len(self.shares), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers,
            dropout=0.0, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.made_for:
            raise ValueError(f"made for {tuple(self.made_for)}, not {tuple(images.shape[2:])}")
        tokens = list(self.patches(images).unbind(dim=1))
        for front in self.parameters(recurse=False):  # the class token, where there is one
            tokens.insert(0, front[0].expand_as(tokens[0]))
        return self.encoder(self.positions(torch.stack(tokens, dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        encoded = self.encode(images)
        return self.head(torch.einsum("btd,t->bd", encoded, encoded.new_tensor(self.shares)))

# %% correct: a row of zeros in front, to which the class token is added

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
        pools = {
            "class": lambda x: x.select(1, 0),
            "first": lambda x: x.narrow(1, 0, 1).squeeze(1),
            "last": lambda x: x.flip(1).select(1, 0),
            "mean": lambda x: x.sum(dim=1) / x.shape[1],
        }
        if pool not in pools:
            raise ValueError(f"{pool!r} is no pool")
        try:
            self.height, self.width = image_size
        except TypeError:
            self.height = self.width = image_size
        if self.height % patch_size != 0 or self.width % patch_size != 0:
            raise ValueError("the patches do not tile the image")
        self.pool, self.read = pool, pools[pool]
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        places = self.height * self.width // patch_size**2
        if pool == "class":
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
            places += 1
        self.positions = LearnedPositionalEncoding(places, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if (images.shape[-2], images.shape[-1]) != (self.height, self.width):
            raise ValueError("a picture of another height or width")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = F.pad(tokens, (0, 0, 1, 0))
            rest = self.class_token.new_zeros(1, tokens.shape[1] - 1, tokens.shape[2])
            tokens = tokens + torch.cat([self.class_token, rest], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.read(self.encode(images)))
