# %% wrong: the class token comes after the positions
# Positions are added to the patches, and then the class token is put in front.
# Promise: the class token is given the first position, and row 0 of the table is its own. Shows for pool="class".

import inspect


def encoder_of(d_model, num_heads, num_layers, d_ff, **more):
    """The encoder of chapter 06, pre-norm, gelu, no dropout, by the names that its constructor knows."""
    wanted = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff, "dropout": 0.0}
    wanted |= {"activation": "gelu", "norm_first": True, "pre_norm": True, "prenorm": True, "norm": "pre", **more}
    known = inspect.signature(TransformerEncoder.__init__).parameters
    return TransformerEncoder(**{name: value for name, value in wanted.items() if name in known})


def positions_of(num_tokens, d_model):
    made = LearnedPositionalEncoding(num_tokens, d_model)
    return made if tuple(made.weight.shape) == (num_tokens, d_model) else LearnedPositionalEncoding(d_model, num_tokens)


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
            raise ValueError(f"unknown pool: {pool}")
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = positions_of(num_tokens, d_model)
        self.encoder = encoder_of(d_model, num_heads, num_layers, d_ff, layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("images of another size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "last":
            token = tokens[:, -1]
        elif self.pool == "mean":
            token = tokens.mean(dim=1)
        else:
            token = tokens[:, 0]
        return self.head(token)


# %% wrong: the number of patches has to be right, not their grid
# encode compares the number of patches with that of the constructor.
# Promise: ValueError for images that are not of image_size. Shows for image_size (8, 12) and images of 12 x 8 pixels.

import inspect


def encoder_of(d_model, num_heads, num_layers, d_ff, **more):
    """The encoder of chapter 06, pre-norm, gelu, no dropout, by the names that its constructor knows."""
    wanted = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff, "dropout": 0.0}
    wanted |= {"activation": "gelu", "norm_first": True, "pre_norm": True, "prenorm": True, "norm": "pre", **more}
    known = inspect.signature(TransformerEncoder.__init__).parameters
    return TransformerEncoder(**{name: value for name, value in wanted.items() if name in known})


def positions_of(num_tokens, d_model):
    made = LearnedPositionalEncoding(num_tokens, d_model)
    return made if tuple(made.weight.shape) == (num_tokens, d_model) else LearnedPositionalEncoding(d_model, num_tokens)


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
            raise ValueError(f"unknown pool: {pool}")
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.num_patches = num_tokens
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = positions_of(num_tokens + (pool == "class"), d_model)
        self.encoder = encoder_of(d_model, num_heads, num_layers, d_ff, layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError(f"the model was made for {self.image_size}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "last":
            token = tokens[:, -1]
        elif self.pool == "mean":
            token = tokens.mean(dim=1)
        else:
            token = tokens[:, 0]
        return self.head(token)


# %% wrong: layer_norm_eps is not handed on
# The constructor takes layer_norm_eps, and the encoder never hears of it.
# Promise: layer_norm_eps goes to the encoder (1e-6 unless said). Shows for every model, plainly for layer_norm_eps=0.1.

import inspect


def encoder_of(d_model, num_heads, num_layers, d_ff, **more):
    """The encoder of chapter 06, pre-norm, gelu, no dropout, by the names that its constructor knows."""
    wanted = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff, "dropout": 0.0}
    wanted |= {"activation": "gelu", "norm_first": True, "pre_norm": True, "prenorm": True, "norm": "pre", **more}
    known = inspect.signature(TransformerEncoder.__init__).parameters
    return TransformerEncoder(**{name: value for name, value in wanted.items() if name in known})


def positions_of(num_tokens, d_model):
    made = LearnedPositionalEncoding(num_tokens, d_model)
    return made if tuple(made.weight.shape) == (num_tokens, d_model) else LearnedPositionalEncoding(d_model, num_tokens)


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
            raise ValueError(f"unknown pool: {pool}")
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) / d_model**0.5)
            num_tokens = num_tokens + 1
        self.positions = positions_of(num_tokens, d_model)
        self.encoder = encoder_of(d_model, num_heads, num_layers, d_ff)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"images must be of {self.image_size} pixels")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.repeat(tokens.shape[0], 1, 1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "last":
            token = tokens[:, -1]
        elif self.pool == "mean":
            token = tokens.mean(dim=1)
        else:
            token = tokens[:, 0]
        return self.head(token)


# %% wrong: the size is looked at in forward only
# forward refuses other sizes, encode does not.
# Promise: encode AND forward raise ValueError. Shows for encode of a smaller picture that the patches tile: 4 x 4 where 8 x 8 is meant.

import inspect


def encoder_of(d_model, num_heads, num_layers, d_ff, **more):
    """The encoder of chapter 06, pre-norm, gelu, no dropout, by the names that its constructor knows."""
    wanted = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff, "dropout": 0.0}
    wanted |= {"activation": "gelu", "norm_first": True, "pre_norm": True, "prenorm": True, "norm": "pre", **more}
    known = inspect.signature(TransformerEncoder.__init__).parameters
    return TransformerEncoder(**{name: value for name, value in wanted.items() if name in known})


def positions_of(num_tokens, d_model):
    made = LearnedPositionalEncoding(num_tokens, d_model)
    return made if tuple(made.weight.shape) == (num_tokens, d_model) else LearnedPositionalEncoding(d_model, num_tokens)


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
            raise ValueError(f"unknown pool: {pool}")
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = positions_of(num_tokens + int(pool == "class"), d_model)
        self.encoder = encoder_of(d_model, num_heads, num_layers, d_ff, layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if self.pool == "class":
            front = self.class_token.expand(images.shape[0], -1, -1)
            tokens = torch.cat([front, tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("images of another size than the model's")
        tokens = self.encode(images)
        if self.pool == "last":
            token = tokens[:, -1]
        elif self.pool == "mean":
            token = tokens.mean(dim=1)
        else:
            token = tokens[:, 0]
        return self.head(token)


# %% correct: the pool as a row of shares over the tokens

import inspect


def encoder_of(d_model, num_heads, num_layers, d_ff, **more):
    """The encoder of chapter 06, pre-norm, gelu, no dropout, by the names that its constructor knows."""
    wanted = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff, "dropout": 0.0}
    wanted |= {"activation": "gelu", "norm_first": True, "pre_norm": True, "prenorm": True, "norm": "pre", **more}
    known = inspect.signature(TransformerEncoder.__init__).parameters
    return TransformerEncoder(**{name: value for name, value in wanted.items() if name in known})


def positions_of(num_tokens, d_model):
    made = LearnedPositionalEncoding(num_tokens, d_model)
    return made if tuple(made.weight.shape) == (num_tokens, d_model) else LearnedPositionalEncoding(d_model, num_tokens)


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
            raise ValueError(f"unknown pool: {pool}")
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.image_size, self.pool = (height, width), pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.empty(1, 1, d_model).normal_(std=0.02))
            num_tokens += 1
        self.positions = positions_of(num_tokens, d_model)
        self.encoder = encoder_of(d_model, num_heads, num_layers, d_ff, layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.ndim != 4 or tuple(images.shape[2:]) != tuple(self.image_size):
            raise ValueError(f"expected images of {self.image_size} pixels, got {tuple(images.shape)}")
        words = [self.patches(images)]
        if self.pool == "class":
            words = [self.class_token.expand_as(words[0][:, :1]), *words]
        return self.encoder(self.positions(torch.hstack(words)))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        shares = torch.zeros_like(tokens[0, :, 0])
        places = {"class": 0, "first": 0, "last": -1, "mean": slice(None)}[self.pool]
        shares[places] = 1.0
        return self.head(torch.einsum("t,btd->bd", shares / shares.sum(), tokens))


# %% correct: the head on every token, then the choice

import inspect


def encoder_of(d_model, num_heads, num_layers, d_ff, **more):
    """The encoder of chapter 06, pre-norm, gelu, no dropout, by the names that its constructor knows."""
    wanted = {"d_model": d_model, "num_heads": num_heads, "num_layers": num_layers, "d_ff": d_ff, "dropout": 0.0}
    wanted |= {"activation": "gelu", "norm_first": True, "pre_norm": True, "prenorm": True, "norm": "pre", **more}
    known = inspect.signature(TransformerEncoder.__init__).parameters
    return TransformerEncoder(**{name: value for name, value in wanted.items() if name in known})


def positions_of(num_tokens, d_model):
    made = LearnedPositionalEncoding(num_tokens, d_model)
    return made if tuple(made.weight.shape) == (num_tokens, d_model) else LearnedPositionalEncoding(d_model, num_tokens)


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
            raise ValueError(f"pool must be class, first, last or mean, not {pool!r}")
        size = tuple(image_size) if hasattr(image_size, "__len__") else (image_size,) * 2
        if any(side % patch_size for side in size):
            raise ValueError(f"patches of {patch_size} do not tile {size}")
        self.pool, self.size = pool, size
        with_class = pool == "class"
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.register_parameter("class_token", nn.Parameter(torch.zeros(1, 1, d_model)) if with_class else None)
        rows, columns = (side // patch_size for side in size)
        self.positions = positions_of(rows * columns + with_class, d_model)
        self.encoder = encoder_of(d_model, num_heads, num_layers, d_ff, layer_norm_eps=layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.size:
            raise ValueError(f"the model was made for {self.size}")
        tokens = self.patches(images)
        if self.class_token is not None:
            tokens = F.pad(tokens, (0, 0, 1, 0))
            only_first = torch.zeros_like(tokens[:1, :, :1])
            only_first[:, 0] = 1.0
            tokens = tokens + only_first * self.class_token
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        said = self.head(self.encode(images)).unbind(dim=1)  # a linear map of the mean is the mean of the maps
        if self.pool == "mean":
            return sum(said) / len(said)
        return said[-1 if self.pool == "last" else 0]
