# %% wrong: the class token without a position
# The positions are added to the patches, and the class token is put in front afterwards: it gets
# none, and patch 0 gets the first row. It shows with "class", in every output.

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
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("the patches do not tile the image")
        self.size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.size:
            raise ValueError(f"made for images of {self.size}")
        x = self.positions(self.patches(images))
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(x)

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, -1 if self.pool == "last" else 0])

# %% wrong: one row of positions too many
# The table has N + 1 rows for every pool. Without a class token one of them is never used, against
# "one row per token". It shows with "mean", "first" and "last", by the shape of positions.weight.

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
            raise ValueError(f"pool must be class, first, last or mean, got {pool}")
        self.height, self.width = (image_size,) * 2 if isinstance(image_size, int) else image_size
        if self.height % patch_size != 0 or self.width % patch_size != 0:
            raise ValueError("patch_size must divide the height and the width")
        num_patches = self.height * self.width // patch_size**2
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_patches + 1, d_model)
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
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("images of another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], 1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        read = {"class": x[:, 0], "first": x[:, 0], "last": x[:, -1], "mean": x.mean(dim=1)}
        return self.head(read[self.pool])

# %% wrong: as many patches will do
# The size is refused where the number of patches differs, so the same number in another arrangement
# passes. It shows for a model of (8, 12) and images of 12 x 8, or 4 x 24.

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
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        if any(side % patch_size for side in image_size):
            raise ValueError("the patches must tile the image")
        self.pool = pool
        self.num_patches = (image_size[0] // patch_size) * (image_size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        extra = 0
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
            extra = 1
        self.positions = LearnedPositionalEncoding(self.num_patches + extra, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        if x.shape[1] != self.num_patches:
            raise ValueError(f"expected {self.num_patches} patches, got {x.shape[1]}")
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(len(x), 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            x = x.mean(dim=1)
        elif self.pool == "last":
            x = x[:, -1]
        else:
            x = x[:, 0]
        return self.head(x)

# %% wrong: the encoder's own eps
# layer_norm_eps is taken and not passed on, so the norms have the encoder's default, 1e-5. It shows
# by the norms' eps (1e-6 is wanted by default), and in the output for layer_norm_eps = 0.1.

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
            raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
        self.height, self.width, self.pool = height, width, pool
        self.layer_norm_eps = layer_norm_eps
        count = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.encoder = TransformerEncoder(d_model, num_heads, d_ff, num_layers, activation=F.gelu)
        self.head = nn.Linear(d_model, num_classes)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            count += 1
        self.positions = LearnedPositionalEncoding(count, d_model)

    def encode(self, images: Tensor) -> Tensor:
        if (images.shape[-2], images.shape[-1]) != (self.height, self.width):
            raise ValueError(f"the model reads images of {self.height} x {self.width}")
        tokens = self.patches(images)
        if self.pool == "class":
            front = self.class_token.expand(images.shape[0], -1, -1)
            tokens = torch.cat((front, tokens), dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        encoded = self.encode(images)
        if self.pool == "mean":
            return self.head(encoded.mean(dim=1))
        return self.head(encoded[:, {"class": 0, "first": 0, "last": -1}[self.pool]])

# %% correct: every pool is the mean over a slice
class VisionTransformer(nn.Module):
    READ = {
        "class": slice(0, 1),
        "first": slice(0, 1),
        "last": slice(-1, None),
        "mean": slice(None),
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
        if pool not in self.READ:
            raise ValueError(f"pool is one of {', '.join(self.READ)}, not {pool}")
        try:
            self.height, self.width = image_size
        except TypeError:
            self.height = self.width = image_size
        rows, rest_of_height = divmod(self.height, patch_size)
        columns, rest_of_width = divmod(self.width, patch_size)
        if rest_of_height or rest_of_width:
            raise ValueError(f"{self.height} x {self.width} cannot be tiled by {patch_size}")
        self.read, self.has_front = self.READ[pool], pool == "class"
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.has_front:
            self.register_parameter("class_token", nn.Parameter(torch.zeros(1, 1, d_model)))
        self.positions = LearnedPositionalEncoding(rows * columns + self.has_front, d_model)
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
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError(f"images must be {self.height} pixels high and {self.width} wide")
        words = self.patches(images)
        front = self.class_token.expand(len(words), 1, -1) if self.has_front else words[:, :0]
        return self.encoder(self.positions(torch.cat([front, words], dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.encode(images)[:, self.read].mean(dim=1))

# %% correct: an empty row for the class token is padded in, and the heads' logits are pooled
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
        self.front = {"class": 1, "first": 0, "last": 0, "mean": 0}.get(pool)
        if self.front is None:
            raise ValueError(f"cannot read from {pool}")
        self.pool = pool
        self.image_size = list(image_size) if isinstance(image_size, (tuple, list)) else [image_size] * 2
        if [side // patch_size * patch_size for side in self.image_size] != self.image_size:
            raise ValueError(f"patches of {patch_size} pixels do not tile {self.image_size}")
        num_tokens = self.front
        num_tokens += len(range(0, self.image_size[0], patch_size)) * len(range(0, self.image_size[1], patch_size))
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        for _ in range(self.front):
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) / 50)
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if list(images.shape[2:]) != self.image_size:
            raise ValueError(f"this model reads {self.image_size}, not {list(images.shape[2:])}")
        tokens = F.pad(self.patches(images), (0, 0, self.front, 0))
        if self.front:
            is_first = torch.arange(tokens.shape[1], device=tokens.device).view(1, -1, 1) == 0
            tokens = torch.where(is_first, self.class_token, tokens)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        of_tokens = self.head(self.encode(images)).unbind(dim=1)  # the head is linear: before the mean
        if self.pool == "mean":
            return sum(of_tokens) / len(of_tokens)
        return of_tokens[-1] if self.pool == "last" else of_tokens[0]
