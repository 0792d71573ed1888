# %% wrong: as many patches as expected
# The image is compared by its number of patches only: 4 x 16 pixels pass where 8 x 8 were agreed, and are read at the
# wrong places.

import inspect


def made(part, fallback, wanted):
    """One of the earlier chapters' parts, by whatever names its constructor has for these sizes."""
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        default, required = parameter.default, parameter.default is inspect.Parameter.empty
        value = next((value for words, value in wanted if any(word in name for word in words.split())), None)
        if value == "gelu" and not required and not isinstance(default, str):
            value = nn.GELU if isinstance(default, type) else F.gelu
        if value is True and not required and not isinstance(default, bool):
            value = "pre" if isinstance(default, str) else None
        if value is None and required:
            value = fallback
        if value is not None:
            given[name] = value
    return part(**given)


def new_positions(num_tokens, d_model):
    return made(LearnedPositionalEncoding, num_tokens, [("drop", 0.0), ("model dim embedding_size width", d_model)])


def new_encoder(d_model, num_heads, num_layers, d_ff, eps=None):
    wanted = [("drop", 0.0), ("eps", eps), ("act", "gelu"), ("head", num_heads), ("layers depth", num_layers)]
    wanted += [("ff feed hidden", d_ff), ("model dim embedding_size", d_model), ("norm pre", True)]
    return made(TransformerEncoder, None, wanted)


class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"unknown pool {pool!r}")
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if height % patch_size or width % patch_size:
            raise ValueError("the patches do not tile the image")
        self.pool = pool
        self.num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = new_positions(self.num_patches + (pool == "class"), d_model)
        self.encoder = new_encoder(d_model, num_heads, num_layers, d_ff, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError(f"{self.num_patches} patches expected, found {tokens.shape[1]}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: the encoder's own epsilon
# layer_norm_eps is taken and not passed on. Shows in the encoder's layer norms, and in what it says of tokens whose
# numbers are small.

import inspect


def made(part, fallback, wanted):
    """One of the earlier chapters' parts, by whatever names its constructor has for these sizes."""
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        default, required = parameter.default, parameter.default is inspect.Parameter.empty
        value = next((value for words, value in wanted if any(word in name for word in words.split())), None)
        if value == "gelu" and not required and not isinstance(default, str):
            value = nn.GELU if isinstance(default, type) else F.gelu
        if value is True and not required and not isinstance(default, bool):
            value = "pre" if isinstance(default, str) else None
        if value is None and required:
            value = fallback
        if value is not None:
            given[name] = value
    return part(**given)


def new_positions(num_tokens, d_model):
    return made(LearnedPositionalEncoding, num_tokens, [("drop", 0.0), ("model dim embedding_size width", d_model)])


def new_encoder(d_model, num_heads, num_layers, d_ff, eps=None):
    wanted = [("drop", 0.0), ("eps", eps), ("act", "gelu"), ("head", num_heads), ("layers depth", num_layers)]
    wanted += [("ff feed hidden", d_ff), ("model dim embedding_size", d_model), ("norm pre", True)]
    return made(TransformerEncoder, None, wanted)


class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"unknown pool {pool!r}")
        if isinstance(image_size, int):
            image_size = (image_size, image_size)
        self.image_size = tuple(image_size)
        if self.image_size[0] % patch_size != 0 or self.image_size[1] % patch_size != 0:
            raise ValueError("the patches do not tile the image")
        num_tokens = (self.image_size[0] // patch_size) * (self.image_size[1] // patch_size)
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
            num_tokens += 1
        self.positions = new_positions(num_tokens, d_model)
        self.encoder = new_encoder(d_model, num_heads, num_layers, d_ff)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images of {self.image_size} expected")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.repeat(len(images), 1, 1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        read = {"class": tokens[:, 0], "first": tokens[:, 0], "last": tokens[:, -1], "mean": tokens.mean(dim=1)}
        return self.head(read[self.pool])


# %% wrong: the class token after the positions
# The positions are added to the patches alone, and the class token is put in front of them afterwards: one position too
# few. Shows with pool="class", in the table's rows and in the outputs.

import inspect


def made(part, fallback, wanted):
    """One of the earlier chapters' parts, by whatever names its constructor has for these sizes."""
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        default, required = parameter.default, parameter.default is inspect.Parameter.empty
        value = next((value for words, value in wanted if any(word in name for word in words.split())), None)
        if value == "gelu" and not required and not isinstance(default, str):
            value = nn.GELU if isinstance(default, type) else F.gelu
        if value is True and not required and not isinstance(default, bool):
            value = "pre" if isinstance(default, str) else None
        if value is None and required:
            value = fallback
        if value is not None:
            given[name] = value
    return part(**given)


def new_positions(num_tokens, d_model):
    return made(LearnedPositionalEncoding, num_tokens, [("drop", 0.0), ("model dim embedding_size width", d_model)])


def new_encoder(d_model, num_heads, num_layers, d_ff, eps=None):
    wanted = [("drop", 0.0), ("eps", eps), ("act", "gelu"), ("head", num_heads), ("layers depth", num_layers)]
    wanted += [("ff feed hidden", d_ff), ("model dim embedding_size", d_model), ("norm pre", True)]
    return made(TransformerEncoder, None, wanted)


class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError("pool must be class, first, last or mean")
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if any(side % patch_size for side in self.size):
            raise ValueError("the patches do not tile the image")
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = new_positions(self.size[0] // patch_size * (self.size[1] // patch_size), d_model)
        self.encoder = new_encoder(d_model, num_heads, num_layers, d_ff, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.size:
            raise ValueError("images of another size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(images), -1, -1), tokens], dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            pooled = tokens.mean(dim=1)
        elif self.pool == "last":
            pooled = tokens[:, -1]
        else:
            pooled = tokens[:, 0]
        return self.head(pooled)


# %% wrong: a class token for every pool
# It is made and put in front whatever the pool is: with "first", "last" and "mean" there is a token, a position and a
# parameter too many, and "mean" takes it in.

import inspect


def made(part, fallback, wanted):
    """One of the earlier chapters' parts, by whatever names its constructor has for these sizes."""
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        default, required = parameter.default, parameter.default is inspect.Parameter.empty
        value = next((value for words, value in wanted if any(word in name for word in words.split())), None)
        if value == "gelu" and not required and not isinstance(default, str):
            value = nn.GELU if isinstance(default, type) else F.gelu
        if value is True and not required and not isinstance(default, bool):
            value = "pre" if isinstance(default, str) else None
        if value is None and required:
            value = fallback
        if value is not None:
            given[name] = value
    return part(**given)


def new_positions(num_tokens, d_model):
    return made(LearnedPositionalEncoding, num_tokens, [("drop", 0.0), ("model dim embedding_size width", d_model)])


def new_encoder(d_model, num_heads, num_layers, d_ff, eps=None):
    wanted = [("drop", 0.0), ("eps", eps), ("act", "gelu"), ("head", num_heads), ("layers depth", num_layers)]
    wanted += [("ff feed hidden", d_ff), ("model dim embedding_size", d_model), ("norm pre", True)]
    return made(TransformerEncoder, None, wanted)


class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError("pool must be class, first, last or mean")
        self.size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        if any(side % patch_size for side in self.size):
            raise ValueError("the patches do not tile the image")
        num_patches = self.size[0] // patch_size * (self.size[1] // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = new_positions(num_patches + 1, d_model)
        self.encoder = new_encoder(d_model, num_heads, num_layers, d_ff, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)
        self.pool = pool

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2:] != self.size:
            raise ValueError("images of another size")
        front = self.class_token.expand(len(images), -1, -1)
        return self.encoder(self.positions(torch.cat([front, self.patches(images)], dim=1)))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "class":
            return self.head(tokens[:, 0])
        if self.pool == "first":
            return self.head(tokens[:, 1])
        if self.pool == "last":
            return self.head(tokens[:, -1])
        return self.head(tokens.mean(dim=1))


# %% correct: a table of readers

import inspect


def made(part, fallback, wanted):
    """One of the earlier chapters' parts, by whatever names its constructor has for these sizes."""
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        default, required = parameter.default, parameter.default is inspect.Parameter.empty
        value = next((value for words, value in wanted if any(word in name for word in words.split())), None)
        if value == "gelu" and not required and not isinstance(default, str):
            value = nn.GELU if isinstance(default, type) else F.gelu
        if value is True and not required and not isinstance(default, bool):
            value = "pre" if isinstance(default, str) else None
        if value is None and required:
            value = fallback
        if value is not None:
            given[name] = value
    return part(**given)


def new_positions(num_tokens, d_model):
    return made(LearnedPositionalEncoding, num_tokens, [("drop", 0.0), ("model dim embedding_size width", d_model)])


def new_encoder(d_model, num_heads, num_layers, d_ff, eps=None):
    wanted = [("drop", 0.0), ("eps", eps), ("act", "gelu"), ("head", num_heads), ("layers depth", num_layers)]
    wanted += [("ff feed hidden", d_ff), ("model dim embedding_size", d_model), ("norm pre", True)]
    return made(TransformerEncoder, None, wanted)


READERS = {
    "class": lambda tokens: tokens[:, 0],
    "first": lambda tokens: tokens[:, 0],
    "last": lambda tokens: tokens[:, -1],
    "mean": lambda tokens: torch.einsum("btd->bd", tokens) / tokens.shape[1],
}


class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in READERS:
            raise ValueError(f"pool must be one of {sorted(READERS)}, not {pool!r}")
        height, width = image_size if hasattr(image_size, "__len__") else (image_size, image_size)
        rows, columns = height // patch_size, width // patch_size
        if (rows * patch_size, columns * patch_size) != (height, width):
            raise ValueError(f"patches of {patch_size} do not tile {height} x {width}")
        self.image_size, self.pool = (height, width), pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = new_positions(rows * columns + (pool == "class"), d_model)
        self.encoder = new_encoder(d_model, num_heads, num_layers, d_ff, eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"images of {self.image_size} pixels, not {tuple(images.shape)}")
        words = self.patches(images)
        if self.pool == "class":
            words = F.pad(words, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, words.shape[1]))
        return self.encoder(self.positions(words))

    def forward(self, images: Tensor) -> Tensor:
        return self.head(READERS[self.pool](self.encode(images)))


# %% correct: the head on every token, then a share of each

import inspect


def made(part, fallback, wanted):
    """One of the earlier chapters' parts, by whatever names its constructor has for these sizes."""
    given = {}
    for name, parameter in inspect.signature(part).parameters.items():
        default, required = parameter.default, parameter.default is inspect.Parameter.empty
        value = next((value for words, value in wanted if any(word in name for word in words.split())), None)
        if value == "gelu" and not required and not isinstance(default, str):
            value = nn.GELU if isinstance(default, type) else F.gelu
        if value is True and not required and not isinstance(default, bool):
            value = "pre" if isinstance(default, str) else None
        if value is None and required:
            value = fallback
        if value is not None:
            given[name] = value
    return part(**given)


def new_positions(num_tokens, d_model):
    return made(LearnedPositionalEncoding, num_tokens, [("drop", 0.0), ("model dim embedding_size width", d_model)])


def new_encoder(d_model, num_heads, num_layers, d_ff, eps=None):
    wanted = [("drop", 0.0), ("eps", eps), ("act", "gelu"), ("head", num_heads), ("layers depth", num_layers)]
    wanted += [("ff feed hidden", d_ff), ("model dim embedding_size", d_model), ("norm pre", True)]
    return made(TransformerEncoder, None, wanted)


class VisionTransformer(nn.Module):
    def __init__(
        self, image_size, patch_size, d_model, num_heads, num_layers, d_ff, num_classes, pool="class", num_channels=3,
        layer_norm_eps=1e-6,
    ):
        super().__init__()
        if pool not in ("class", "first", "last", "mean"):
            raise ValueError(f"no pool is called {pool!r}")
        sides = [image_size] * 2 if isinstance(image_size, int) else list(image_size)
        num_tokens = int(pool == "class")
        grid = 1
        for side in sides:
            count, rest = divmod(side, patch_size)
            if rest:
                raise ValueError(f"patches of {patch_size} do not tile {side} pixels")
            grid *= count
        num_tokens += grid
        self.sides, self.pool, self.num_tokens = sides, pool, num_tokens
        parts = {"patches": PatchEmbedding(patch_size, num_channels, d_model)}
        parts["positions"] = new_positions(num_tokens, d_model)
        parts["encoder"] = new_encoder(d_model, num_heads, num_layers, d_ff, eps=layer_norm_eps)
        parts["head"] = nn.Linear(d_model, num_classes)
        for name, part in parts.items():
            self.add_module(name, part)
        if pool == "class":
            self.register_parameter("class_token", nn.Parameter(torch.randn(1, 1, d_model) / d_model**0.5))

    def encode(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or list(images.shape[2:]) != self.sides:
            raise ValueError(f"images of {self.sides} pixels wanted")
        sentences = [self.patches(images)]
        if self.pool == "class":
            sentences = [torch.stack([self.class_token[0]] * len(images)), *sentences]
        return self.encoder(self.positions(torch.hstack(sentences)))

    def forward(self, images: Tensor) -> Tensor:
        logits = self.head(self.encode(images))  # (B, T, classes)
        shares = logits.new_full((self.num_tokens,), 1 / self.num_tokens)
        if self.pool != "mean":
            shares = F.one_hot(torch.tensor(-1 % self.num_tokens if self.pool == "last" else 0), self.num_tokens)
        return torch.einsum("t,btc->bc", shares.to(logits), logits)
