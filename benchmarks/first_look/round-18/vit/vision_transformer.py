# %% wrong: the class token behind the patches
# Appends the class token and reads the last output: the first position goes to the first patch and not to the class token, with pool "class".

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
        self.image_size, self.pool = (height, width), pool
        count = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(count + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("images of another size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([tokens, self.class_token.expand(len(images), -1, -1)], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, 0] if self.pool == "first" else tokens[:, -1])


# %% wrong: the encoder keeps its ReLU
# activation is not passed on: the feed-forward parts use ReLU and not GELU, which shows for every image.

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
        self.image_size, self.pool = (height, width), pool
        count = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
            count += 1
        self.positions = LearnedPositionalEncoding(count, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, layer_norm_eps=layer_norm_eps, norm_first=True
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError("images of another size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1] if self.pool == "last" else tokens[:, 0])


# %% wrong: only the number of patches is compared
# Accepts 12 x 8 pixels where it was made for 8 x 12: as many patches in another arrangement must raise ValueError.

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
        self.count = height * width // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(self.count + (pool == "class"), d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.count:
            raise ValueError(f"{tokens.shape[1]} patches, and not {self.count}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1] if self.pool == "last" else tokens[:, 0])


# %% wrong: the constructor leaves the tiling to the first image
# Rounds the number of patches down: VisionTransformer(10, 4, ...) is made without a ValueError, which comes only with an image.

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
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        self.height, self.width = image_size
        self.pool = pool
        count = (self.height // patch_size) * (self.width // patch_size) + int(pool == "class")
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model))
        self.positions = LearnedPositionalEncoding(count, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("images of another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        x = x.mean(1) if self.pool == "mean" else x[:, -1] if self.pool == "last" else x[:, 0]
        return self.head(x)


# %% correct: reading as a weighted sum over the tokens

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
        side_by_side = (image_size,) * 2 if isinstance(image_size, int) else tuple(image_size)
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"pool is {pool!r}")
        if any(side % patch_size for side in side_by_side):
            raise ValueError(f"patches of {patch_size} do not tile {side_by_side}")
        self.sides, self.pool = side_by_side, pool
        self.extra = 1 if pool == "class" else 0
        tokens = self.extra + side_by_side[0] * side_by_side[1] // (patch_size * patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(tokens, d_model)
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
        if self.extra:
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) / d_model)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != torch.Size(self.sides):
            raise ValueError(f"made for {self.sides}, got {tuple(images.shape)}")
        words = F.pad(self.patches(images), (0, 0, self.extra, 0))  # a place for the class token
        if self.extra:
            words = words + F.pad(self.class_token, (0, 0, 0, words.shape[1] - 1))
        return self.encoder(self.positions(words))

    def forward(self, images: Tensor) -> Tensor:
        encoded = self.encode(images)
        T = encoded.shape[1]
        share = encoded.new_zeros(T)
        if self.pool == "mean":
            share += 1 / T
        else:
            share[T - 1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("btd,t->bd", encoded, share))


# %% correct: a dictionary of readers, and one image after the other

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
        if type(image_size) is int:
            image_size = [image_size, image_size]
        self.height, self.width = image_size
        readers = {
            "class": lambda tokens: tokens[0],
            "first": lambda tokens: tokens[0],
            "last": lambda tokens: tokens[len(tokens) - 1],
            "mean": lambda tokens: tokens.sum(dim=0) / len(tokens),
        }
        if pool not in readers:
            raise ValueError(f"pool must be one of {', '.join(readers)}")
        if self.height % patch_size != 0 or self.width % patch_size != 0:
            raise ValueError("patches do not tile image_size")
        self.read = readers[pool]
        rows = (self.height // patch_size) * (self.width // patch_size)
        if pool == "class":
            rows += 1
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = LearnedPositionalEncoding(rows, d_model)
        self.encoder = TransformerEncoder(
            d_model, num_heads, d_ff, num_layers, activation=F.gelu, layer_norm_eps=layer_norm_eps
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if (images.size(2), images.size(3)) != (self.height, self.width):
            raise ValueError("height or width does not fit")
        encoded = []
        for image in images.split(1):
            tokens = self.patches(image)
            if hasattr(self, "class_token"):
                tokens = torch.cat((self.class_token, tokens), dim=1)
            encoded.append(self.encoder(self.positions(tokens)))
        return torch.cat(encoded)

    def forward(self, images: Tensor) -> Tensor:
        return torch.stack([self.head(self.read(tokens)) for tokens in self.encode(images)])
