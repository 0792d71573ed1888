# %% wrong: depth and width exchanged
# TransformerEncoder takes d_ff before num_layers, this class has them the other way round; handed on in the order in which they came, d_ff layers are built with a hidden width of num_layers. A good message: "the encoder has 96 layers, num_layers is 2".

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
            raise ValueError(f"no pool {pool!r}")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        H, W = self.image_size
        if H % patch_size or W % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_tokens = (H // patch_size) * (W // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, num_layers, d_ff, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, made for {self.image_size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            read = tokens.mean(dim=1)
        else:
            read = tokens[:, -1 if self.pool == "last" else 0]
        return self.head(read)

# %% wrong: the encoder's own defaults
# activation and layer_norm_eps are not handed on: the encoder has relu and 1e-5. The shapes and parameters are right. A good message: "activation must be gelu; eps is 1e-5, layer_norm_eps was 1e-6".

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
            raise ValueError(f"no pool {pool!r}")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        H, W = self.image_size
        if H % patch_size or W % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_tokens = (H // patch_size) * (W // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, made for {self.image_size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            read = tokens.mean(dim=1)
        else:
            read = tokens[:, -1 if self.pool == "last" else 0]
        return self.head(read)

# %% wrong: the class token after the positions
# Positions are added to the patches only and the class token is put before them without one; the table is one row too short. A good message: "positions has N rows, with a class token N + 1: the class token has the first".

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
            raise ValueError(f"no pool {pool!r}")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        H, W = self.image_size
        if H % patch_size or W % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_tokens = (H // patch_size) * (W // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, made for {self.image_size}")
        x = self.positions(self.patches(images))
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(x)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            read = tokens.mean(dim=1)
        else:
            read = tokens[:, -1 if self.pool == "last" else 0]
        return self.head(read)

# %% wrong: smaller pictures pass, and an unused class token
# Nobody looks at the size: a smaller picture takes the first positions of the table and is read wrongly in silence; and class_token is there with every pool. A good message: "a picture of 4 x 8 for a model of 8 x 8: expected ValueError"; "no class token with pool='mean'".

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
            raise ValueError(f"no pool {pool!r}")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        H, W = self.image_size
        if H % patch_size or W % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_tokens = (H // patch_size) * (W // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            read = tokens.mean(dim=1)
        else:
            read = tokens[:, -1 if self.pool == "last" else 0]
        return self.head(read)

# %% wrong: mean without the first, and last is the first
# Every pool but "mean" reads token 0, "last" too, and "mean" leaves the first token out, as if it were a class token. With "class", the default, it is right. A good message: "pool='mean' is the mean over ALL patches; 'last' is the last patch".

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
            raise ValueError(f"no pool {pool!r}")
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        H, W = self.image_size
        if H % patch_size or W % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        num_tokens = (H // patch_size) * (W // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, made for {self.image_size}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens[:, 1:].mean(dim=1))
        return self.head(tokens[:, 0])

# %% correct: pools as functions in a table

POOLS = {
    "class": lambda tokens: tokens.select(1, 0),
    "first": lambda tokens: tokens.select(1, 0),
    "last": lambda tokens: tokens.select(1, -1),
    "mean": lambda tokens: tokens.mean(1),
}


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
            self.read = POOLS[pool]
        except KeyError:
            raise ValueError(f"pool must be one of {', '.join(POOLS)}, got {pool}") from None
        try:
            height, width = image_size
        except TypeError:
            height = width = image_size
        (rows, below), (columns, beside) = divmod(height, patch_size), divmod(width, patch_size)
        if below or beside:
            raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
        self.size = torch.Size([height, width])
        self.register_parameter("class_token", nn.Parameter(torch.randn(1, 1, d_model)) if pool == "class" else None)
        self.patches = PatchEmbedding(patch_size=patch_size, num_channels=num_channels, d_model=d_model)
        self.positions = LearnedPositionalEncoding(rows * columns + int(pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            num_layers=num_layers,
            activation=F.gelu,
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[-2:] != self.size:
            raise ValueError(f"made for {tuple(self.size)}, got {tuple(images.shape[-2:])}")
        tokens = self.patches(images)
        if self.class_token is not None:
            tokens = torch.hstack((self.class_token.repeat(tokens.shape[0], 1, 1), tokens))
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.read(self.encode(images)))

# %% correct: reading as a weighted sum

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
            raise ValueError("pool: class, first, last or mean")
        self.shape = tuple(torch.broadcast_to(torch.as_tensor(image_size), (2,)).tolist())
        if self.shape[0] % patch_size != 0 or self.shape[1] % patch_size != 0:
            raise ValueError(f"{self.shape} in patches of {patch_size}?")
        self.pool = pool
        number = self.shape[0] * self.shape[1] // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            number += 1
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
        self.positions = LearnedPositionalEncoding(number, d_model)
        options = dict(dropout=0.0, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, **options)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.shape:
            raise ValueError(f"this model reads pictures of {self.shape}")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = F.pad(tokens, (0, 0, 1, 0))  # a row of zeros in front
            first = torch.zeros_like(tokens[:1, :, :1])
            first[:, 0] = 1
            tokens = tokens + first * self.class_token
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        share = tokens.new_zeros(tokens.shape[1])
        if self.pool == "mean":
            share += 1 / len(share)
        else:
            share[-1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("t,btd->bd", share, tokens))
