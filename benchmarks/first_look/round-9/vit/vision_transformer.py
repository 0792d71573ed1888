# %% wrong: positions for the patches only
# The positions are added before the class token is put in front, so it has none, and the table has N rows.
# Shows with pool "class": positions.weight is (N, D) and the tokens differ.

import inspect


def made(kind, rest=None, **wanted):
    """A `kind` from values by a part of its parameters' names; `rest` for one that has no default and no value here."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = next((wanted[part] for part in wanted if part in name), None)
        if value is None and parameter.default is inspect.Parameter.empty:
            value = rest
        if value is not None:
            given[name] = True if isinstance(parameter.default, bool) else value
            if value == "gelu" and parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                given[name] = nn.GELU if inspect.isclass(parameter.default) else F.gelu
    return kind(**given)


def encoder_for(d_model, num_heads, num_layers, d_ff, eps):
    return made(
        TransformerEncoder, eps=eps, dropout=0.0, activation="gelu", first=True, pre_norm=True, norm="pre",
        d_model=d_model, head=num_heads, layers=num_layers, ff=d_ff,
    )


def positions_for(count, d_model):
    return made(LearnedPositionalEncoding, rest=count, dropout=0.0, model=d_model, dim=d_model, max_=count, num_=count)


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
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        height, width = self.image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        count = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.positions = positions_for(count, d_model)
        self.encoder = encoder_for(d_model, num_heads, num_layers, d_ff, layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("another image size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        tokens = self.encoder(tokens)
        return tokens[0] if isinstance(tokens, tuple) else tokens

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: every other pool is the mean
# pool is never checked: whatever is not "class", "first" or "last" ends in the branch of the mean.
# Shows for pool="max": a model in place of a ValueError.

import inspect


def made(kind, rest=None, **wanted):
    """A `kind` from values by a part of its parameters' names; `rest` for one that has no default and no value here."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = next((wanted[part] for part in wanted if part in name), None)
        if value is None and parameter.default is inspect.Parameter.empty:
            value = rest
        if value is not None:
            given[name] = True if isinstance(parameter.default, bool) else value
            if value == "gelu" and parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                given[name] = nn.GELU if inspect.isclass(parameter.default) else F.gelu
    return kind(**given)


def encoder_for(d_model, num_heads, num_layers, d_ff, eps):
    return made(
        TransformerEncoder, eps=eps, dropout=0.0, activation="gelu", first=True, pre_norm=True, norm="pre",
        d_model=d_model, head=num_heads, layers=num_layers, ff=d_ff,
    )


def positions_for(count, d_model):
    return made(LearnedPositionalEncoding, rest=count, dropout=0.0, model=d_model, dim=d_model, max_=count, num_=count)


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
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        height, width = self.image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        count = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            count += 1
        self.positions = positions_for(count, d_model)
        self.encoder = encoder_for(d_model, num_heads, num_layers, d_ff, layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("another image size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        tokens = self.encoder(self.positions(tokens))
        return tokens[0] if isinstance(tokens, tuple) else tokens

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool in ("class", "first"):
            read = tokens[:, 0]
        elif self.pool == "last":
            read = tokens[:, -1]
        else:
            read = tokens.mean(dim=1)
        return self.head(read)


# %% wrong: as many patches will do
# An image is refused where it has another number of patches, and not where it has another size.
# Shows for a model of 8 x 12 pixels: an image of 12 x 8 has as many patches, and passes.

import inspect


def made(kind, rest=None, **wanted):
    """A `kind` from values by a part of its parameters' names; `rest` for one that has no default and no value here."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = next((wanted[part] for part in wanted if part in name), None)
        if value is None and parameter.default is inspect.Parameter.empty:
            value = rest
        if value is not None:
            given[name] = True if isinstance(parameter.default, bool) else value
            if value == "gelu" and parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                given[name] = nn.GELU if inspect.isclass(parameter.default) else F.gelu
    return kind(**given)


def encoder_for(d_model, num_heads, num_layers, d_ff, eps):
    return made(
        TransformerEncoder, eps=eps, dropout=0.0, activation="gelu", first=True, pre_norm=True, norm="pre",
        d_model=d_model, head=num_heads, layers=num_layers, ff=d_ff,
    )


def positions_for(count, d_model):
    return made(LearnedPositionalEncoding, rest=count, dropout=0.0, model=d_model, dim=d_model, max_=count, num_=count)


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
            raise ValueError("patches do not tile the image")
        self.pool = pool
        self.num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = positions_for(self.num_patches + (pool == "class"), d_model)
        self.encoder = encoder_for(d_model, num_heads, num_layers, d_ff, layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError(f"{tokens.shape[1]} patches, the model has {self.num_patches}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.repeat(len(tokens), 1, 1), tokens], dim=1)
        tokens = self.encoder(self.positions(tokens))
        return tokens[0] if isinstance(tokens, tuple) else tokens

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1 if self.pool == "last" else 0])


# %% wrong: width before height
# The two numbers of image_size are taken for (width, height), as picture sizes are often written.
# Shows for image_size=(8, 12): images of 8 x 12 are refused, and those of 12 x 8 are read.

import inspect


def made(kind, rest=None, **wanted):
    """A `kind` from values by a part of its parameters' names; `rest` for one that has no default and no value here."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = next((wanted[part] for part in wanted if part in name), None)
        if value is None and parameter.default is inspect.Parameter.empty:
            value = rest
        if value is not None:
            given[name] = True if isinstance(parameter.default, bool) else value
            if value == "gelu" and parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                given[name] = nn.GELU if inspect.isclass(parameter.default) else F.gelu
    return kind(**given)


def encoder_for(d_model, num_heads, num_layers, d_ff, eps):
    return made(
        TransformerEncoder, eps=eps, dropout=0.0, activation="gelu", first=True, pre_norm=True, norm="pre",
        d_model=d_model, head=num_heads, layers=num_layers, ff=d_ff,
    )


def positions_for(count, d_model):
    return made(LearnedPositionalEncoding, rest=count, dropout=0.0, model=d_model, dim=d_model, max_=count, num_=count)


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
        self.width, self.height = image_size
        if self.height % patch_size or self.width % patch_size:
            raise ValueError("patches do not tile the image")
        self.pool = pool
        count = (self.height // patch_size) * (self.width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = positions_for(count + (pool == "class"), d_model)
        self.encoder = encoder_for(d_model, num_heads, num_layers, d_ff, layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("another image size")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        tokens = self.encoder(self.positions(tokens))
        return tokens[0] if isinstance(tokens, tuple) else tokens

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        read = {"class": tokens[:, 0], "first": tokens[:, 0], "last": tokens[:, -1], "mean": tokens.mean(dim=1)}
        return self.head(read[self.pool])


# %% correct: the logits of all tokens, and a weighted sum of them

import inspect


def made(kind, rest=None, **wanted):
    """A `kind` from values by a part of its parameters' names; `rest` for one that has no default and no value here."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = next((wanted[part] for part in wanted if part in name), None)
        if value is None and parameter.default is inspect.Parameter.empty:
            value = rest
        if value is not None:
            given[name] = True if isinstance(parameter.default, bool) else value
            if value == "gelu" and parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                given[name] = nn.GELU if inspect.isclass(parameter.default) else F.gelu
    return kind(**given)


def encoder_for(d_model, num_heads, num_layers, d_ff, eps):
    return made(
        TransformerEncoder, eps=eps, dropout=0.0, activation="gelu", first=True, pre_norm=True, norm="pre",
        d_model=d_model, head=num_heads, layers=num_layers, ff=d_ff,
    )


def positions_for(count, d_model):
    return made(LearnedPositionalEncoding, rest=count, dropout=0.0, model=d_model, dim=d_model, max_=count, num_=count)


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
        sides = torch.Size(image_size) if isinstance(image_size, (tuple, list)) else torch.Size([image_size] * 2)
        if pool not in {"class", "first", "last", "mean"}:
            raise ValueError(f"pool must be class, first, last or mean, not {pool!r}")
        if any(side % patch_size for side in sides):
            raise ValueError(f"patches of {patch_size} do not tile {tuple(sides)}")
        self.sides, self.pool = sides, pool
        front = 1 if pool == "class" else 0
        if front:
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = positions_for(front + sides.numel() // patch_size**2, d_model)
        self.encoder = encoder_for(d_model, num_heads, num_layers, d_ff, layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[-2:] != self.sides:
            raise ValueError(f"images of {tuple(images.shape[-2:])}, the model reads {tuple(self.sides)}")
        tokens = self.patches(images)
        if self.pool == "class":
            room = F.pad(tokens, (0, 0, 1, 0))  # an empty token in front
            here = torch.zeros_like(room[:1, :, :1])
            here[:, 0] = 1
            tokens = room + here * self.class_token
        out = self.encoder(self.positions(tokens))
        return out[0] if isinstance(out, tuple) else out

    def forward(self, images: Tensor) -> Tensor:
        every = self.head(self.encode(images))  # (B, T, classes): the head is linear, so it may come first
        share = every.new_zeros(every.shape[1])
        if self.pool == "mean":
            share += 1 / len(share)
        else:
            share[-1 if self.pool == "last" else 0] = 1
        return torch.einsum("t,btk->bk", share, every)


# %% correct: a reader for each pool, the tokens put into one list

import inspect


def made(kind, rest=None, **wanted):
    """A `kind` from values by a part of its parameters' names; `rest` for one that has no default and no value here."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = next((wanted[part] for part in wanted if part in name), None)
        if value is None and parameter.default is inspect.Parameter.empty:
            value = rest
        if value is not None:
            given[name] = True if isinstance(parameter.default, bool) else value
            if value == "gelu" and parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                given[name] = nn.GELU if inspect.isclass(parameter.default) else F.gelu
    return kind(**given)


def encoder_for(d_model, num_heads, num_layers, d_ff, eps):
    return made(
        TransformerEncoder, eps=eps, dropout=0.0, activation="gelu", first=True, pre_norm=True, norm="pre",
        d_model=d_model, head=num_heads, layers=num_layers, ff=d_ff,
    )


def positions_for(count, d_model):
    return made(LearnedPositionalEncoding, rest=count, dropout=0.0, model=d_model, dim=d_model, max_=count, num_=count)


READERS = {
    "class": lambda tokens: tokens.select(1, 0),
    "first": lambda tokens: tokens.select(1, 0),
    "last": lambda tokens: tokens.select(1, tokens.shape[1] - 1),
    "mean": lambda tokens: torch.stack(tokens.unbind(1)).mean(0),
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
        if pool not in READERS:
            raise ValueError(f"no such pool: {pool!r}")
        try:
            self.height, self.width = image_size
        except TypeError:
            self.height = self.width = image_size
        (rows, rest), (columns, left) = divmod(self.height, patch_size), divmod(self.width, patch_size)
        if rest or left:
            raise ValueError("the patches do not tile the image")
        self.pool = pool
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = positions_for(rows * columns + int(pool == "class"), d_model)
        self.encoder = encoder_for(d_model, num_heads, num_layers, d_ff, layer_norm_eps)
        self.head = nn.Linear(d_model, num_classes)
        if pool == "class":
            self.register_parameter("class_token", nn.Parameter(torch.empty(1, 1, d_model).uniform_(-0.05, 0.05)))

    def encode(self, images: Tensor) -> Tensor:
        *_, height, width = images.shape
        if (height, width) != (self.height, self.width):
            raise ValueError(f"this model reads {self.height} x {self.width} pixels, not {height} x {width}")
        row = list(self.patches(images).unbind(dim=1))
        if hasattr(self, "class_token"):
            row.insert(0, self.class_token[0].expand_as(row[0]))
        read = self.encoder(self.positions(torch.stack(row, dim=1)))
        return read if isinstance(read, Tensor) else read[0]

    def forward(self, images: Tensor) -> Tensor:
        return self.head(READERS[self.pool](self.encode(images)))
