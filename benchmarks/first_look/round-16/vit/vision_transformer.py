# %% wrong: refused only where both sides differ
# `and` in place of `or`: a picture with the right height and another width passes, and so does image_size = (8, 6) with
# patches of 4 in the constructor. Right for squares.


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
        self.height, self.width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if self.height % patch_size and self.width % patch_size:
            raise ValueError("patches must tile the image")
        self.pool = pool
        num_tokens = (self.height // patch_size) * (self.width // patch_size) + (pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height and images.shape[3] != self.width:
            raise ValueError(f"images must be {self.height} x {self.width}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: an unknown pool is noticed in forward
# The last `else` of forward raises ValueError, but the constructor is asked to: VisionTransformer(..., pool="max") is
# made without complaint.


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
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if self.size[0] % patch_size or self.size[1] % patch_size:
            raise ValueError("patches must tile the image")
        self.pool = pool
        num_tokens = (self.size[0] // patch_size) * (self.size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
            num_tokens += 1
        self.positions = LearnedPositionalEncoding(num_tokens, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.size:
            raise ValueError("images of another size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.repeat(images.shape[0], 1, 1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool in ("class", "first"):
            read = tokens[:, 0]
        elif self.pool == "last":
            read = tokens[:, -1]
        elif self.pool == "mean":
            read = tokens.mean(dim=1)
        else:
            raise ValueError(f"unknown pool {self.pool}")
        return self.head(read)


# %% wrong: a class token that nobody uses
# class_token is made for every pool and only left out of the sequence. Outputs are right, but with "first", "last" and
# "mean" the model has D parameters too many, which never get a gradient.


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
            raise ValueError("unknown pool")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        height, width = image_size
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        n = height // patch_size * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(n + 1 if pool == "class" else n, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError("images have another height or width")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], 1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        pooled = {"class": lambda: x[:, 0], "first": lambda: x[:, 0], "last": lambda: x[:, -1], "mean": lambda: x.mean(1)}
        return self.head(pooled[self.pool]())


# %% wrong: the first patch is taken for token 1
# "Token 0 is the class token", which is not there with pool="first": the head reads the second patch. Wrong for every
# picture with pool="first", an IndexError where there is one patch.


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
        self.where = {"class": 0, "first": 1, "last": -1, "mean": None}
        if pool not in self.where:
            raise ValueError(f"pool must be one of {list(self.where)}")
        self.h, self.w = (image_size, image_size) if isinstance(image_size, int) else image_size
        if self.h % patch_size or self.w % patch_size:
            raise ValueError("patches must tile the image")
        self.pool = pool
        count = (self.h // patch_size) * (self.w // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model))
            count += 1
        self.positions = LearnedPositionalEncoding(count, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if (images.shape[2], images.shape[3]) != (self.h, self.w):
            raise ValueError(f"images must be {self.h} x {self.w}")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(len(images), -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        index = self.where[self.pool]
        return self.head(x.mean(dim=1) if index is None else x[:, index])


# %% correct: every pool as a row of weights over the tokens


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
        sides = [image_size] * 2 if isinstance(image_size, int) else list(image_size)
        if any(side % patch_size for side in sides):
            raise ValueError(f"patches of {patch_size} do not tile {sides}")
        number = 1
        for side in sides:
            number *= side // patch_size
        extra = 1 if pool == "class" else 0
        total = number + extra
        shares = {
            "class": [1.0] + [0.0] * number,
            "first": [1.0] + [0.0] * (number - 1),
            "last": [0.0] * (number - 1) + [1.0],
            "mean": [1.0 / number] * number,
        }
        if pool not in shares:
            raise ValueError(f"unknown pool {pool!r}")
        self.sides, self.shares, self.extra = sides, shares[pool], extra
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if extra:
            self.class_token = nn.Parameter(torch.full((1, 1, d_model), 0.01))
        self.positions = LearnedPositionalEncoding(total, d_model)
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
        if list(images.shape[2:]) != self.sides:
            raise ValueError(f"images must be {self.sides}, got {tuple(images.shape)}")
        x = F.pad(self.patches(images), (0, 0, self.extra, 0))  # an empty place in front
        if self.extra:
            here = torch.zeros(x.shape[1], 1, dtype=x.dtype, device=x.device)
            here[0] = 1
            x = x + here * self.class_token
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        shares = torch.tensor(self.shares, dtype=tokens.dtype, device=tokens.device)
        return self.head(torch.einsum("n,bnd->bd", shares, tokens))


# %% correct: sequences put together a picture at a time, the layers run by hand


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
        match pool:
            case "class" | "first":
                self.read = lambda tokens: tokens.select(1, 0)
            case "last":
                self.read = lambda tokens: tokens.select(1, tokens.shape[1] - 1)
            case "mean":
                self.read = lambda tokens: tokens.sum(dim=1) / tokens.shape[1]
            case _:
                raise ValueError(f"pool {pool!r} is not known")
        try:
            height, width = image_size
        except TypeError:
            height = width = image_size
        rows, rest_below = divmod(height, patch_size)
        columns, rest_right = divmod(width, patch_size)
        if rest_below or rest_right:
            raise ValueError(f"{height} x {width} is not tiled by {patch_size} x {patch_size}")
        self.height, self.width = height, width
        self.front = pool == "class"
        self.head = nn.Linear(d_model, num_classes)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, norm_first=True, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.positions = LearnedPositionalEncoding(rows * columns + self.front, d_model)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if self.front:
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError(f"this model reads pictures of {self.height} x {self.width}")
        lines = self.patches(images)
        if self.front:
            lines = torch.stack([torch.vstack([self.class_token[0], line]) for line in lines])
        stream = self.positions(lines)
        for layer in self.encoder.layers:
            stream = layer(stream)
        return self.encoder.norm(stream)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.read(self.encode(images)))
