# %% wrong: the positions counted from the first patch
# The positions are added to the patches (rows 0 to N - 1) and the class token is put in front afterwards, with none of
# its own; the table has N + 1 rows and the last is never used. Shows with pool="class".

import inspect


def build(module, **wanted):
    """module made with those of the wanted arguments that its constructor takes, found by their usual names."""
    names = {
        "num_layers": ("num_layers", "n_layers", "layers", "depth"),
        "d_model": ("d_model", "dim", "width", "embedding_dim"),
        "num_heads": ("num_heads", "n_heads", "heads", "nhead"),
        "d_ff": ("d_ff", "dim_feedforward", "d_hidden", "hidden_size"),
        "dropout": ("dropout", "dropout_p", "p"),
        "norm": ("norm_first", "pre_norm", "prenorm", "post_norm", "norm", "norm_position", "order"),
        "activation": ("activation",),
        "layer_norm_eps": ("layer_norm_eps", "norm_eps", "eps"),
        "tokens": ("max_len", "max_length", "num_positions", "num_tokens", "max_tokens", "max_positions", "length"),
    }
    given = {}  # name of an argument -> value
    for name, parameter in inspect.signature(module).parameters.items():
        key = next((key for key, usual in names.items() if name in usual), None)
        if key not in wanted:
            if key is None and "tokens" in wanted and not {*given} - {"d_model", "dim", "width", "embedding_dim"}:
                given[name] = wanted["tokens"]
            continue
        value = wanted[key]
        if key == "norm":
            value = name != "post_norm"
            if isinstance(parameter.default, str):
                value = parameter.default.replace("post", "pre")
            elif name in ("norm", "norm_position", "order") and parameter.default is parameter.empty:
                value = "pre"
        if key == "activation" and callable(parameter.default) and parameter.default is not parameter.empty:
            value = nn.GELU() if isinstance(parameter.default, nn.Module) else F.gelu
        given[name] = value
    return module(**given)


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
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        height, width = self.image_size
        if height % patch_size or width % patch_size:
            raise ValueError("patches must tile the image")
        self.pool = pool
        num_tokens = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
            num_tokens += 1
        self.positions = build(LearnedPositionalEncoding, tokens=num_tokens, d_model=d_model, dropout=0.0)
        self.encoder = build(
            TransformerEncoder,
            num_layers=num_layers,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=0.0,
            norm=True,
            activation="gelu",
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError("images are not of image_size")
        tokens = self.positions(self.patches(images))
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(len(tokens), -1, -1), tokens], dim=1)
        return self.encoder(tokens)

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            return self.head(tokens.mean(dim=1))
        return self.head(tokens[:, -1] if self.pool == "last" else tokens[:, 0])


# %% wrong: only the number of patches is compared
# Images are refused where their number of patches is another; one of another shape with as many patches,
# 8 x 16 in place of 16 x 8 or of 32 x 4, is read without a ValueError.

import inspect


def build(module, **wanted):
    """module made with those of the wanted arguments that its constructor takes, found by their usual names."""
    names = {
        "num_layers": ("num_layers", "n_layers", "layers", "depth"),
        "d_model": ("d_model", "dim", "width", "embedding_dim"),
        "num_heads": ("num_heads", "n_heads", "heads", "nhead"),
        "d_ff": ("d_ff", "dim_feedforward", "d_hidden", "hidden_size"),
        "dropout": ("dropout", "dropout_p", "p"),
        "norm": ("norm_first", "pre_norm", "prenorm", "post_norm", "norm", "norm_position", "order"),
        "activation": ("activation",),
        "layer_norm_eps": ("layer_norm_eps", "norm_eps", "eps"),
        "tokens": ("max_len", "max_length", "num_positions", "num_tokens", "max_tokens", "max_positions", "length"),
    }
    given = {}  # name of an argument -> value
    for name, parameter in inspect.signature(module).parameters.items():
        key = next((key for key, usual in names.items() if name in usual), None)
        if key not in wanted:
            if key is None and "tokens" in wanted and not {*given} - {"d_model", "dim", "width", "embedding_dim"}:
                given[name] = wanted["tokens"]
            continue
        value = wanted[key]
        if key == "norm":
            value = name != "post_norm"
            if isinstance(parameter.default, str):
                value = parameter.default.replace("post", "pre")
            elif name in ("norm", "norm_position", "order") and parameter.default is parameter.empty:
                value = "pre"
        if key == "activation" and callable(parameter.default) and parameter.default is not parameter.empty:
            value = nn.GELU() if isinstance(parameter.default, nn.Module) else F.gelu
        given[name] = value
    return module(**given)


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
            raise ValueError("pool must be class, first, last or mean")
        height, width = image_size if isinstance(image_size, (tuple, list)) else (image_size, image_size)
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError("the patches do not tile the image")
        self.pool = pool
        self.num_patches = (height // patch_size) * (width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = build(
            LearnedPositionalEncoding, tokens=self.num_patches + (pool == "class"), d_model=d_model, dropout=0.0
        )
        self.encoder = build(
            TransformerEncoder,
            num_layers=num_layers,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=0.0,
            norm=True,
            activation="gelu",
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        tokens = self.patches(images)
        if tokens.shape[1] != self.num_patches:
            raise ValueError(f"{tokens.shape[1]} patches, and positions for {self.num_patches}")
        if self.pool == "class":
            tokens = torch.cat([self.class_token.expand(tokens.shape[0], -1, -1), tokens], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        if self.pool == "mean":
            read = tokens.mean(dim=1)
        elif self.pool == "last":
            read = tokens[:, -1]
        else:
            read = tokens[:, 0]
        return self.head(read)


# %% wrong: a class token in every model
# The class token is there whatever the pool is, and "first", "last" and "mean" read the patches behind it: T is N + 1,
# there is one position too many and a parameter too many. Shows for the three pools in encode, state_dict and logits.

import inspect


def build(module, **wanted):
    """module made with those of the wanted arguments that its constructor takes, found by their usual names."""
    names = {
        "num_layers": ("num_layers", "n_layers", "layers", "depth"),
        "d_model": ("d_model", "dim", "width", "embedding_dim"),
        "num_heads": ("num_heads", "n_heads", "heads", "nhead"),
        "d_ff": ("d_ff", "dim_feedforward", "d_hidden", "hidden_size"),
        "dropout": ("dropout", "dropout_p", "p"),
        "norm": ("norm_first", "pre_norm", "prenorm", "post_norm", "norm", "norm_position", "order"),
        "activation": ("activation",),
        "layer_norm_eps": ("layer_norm_eps", "norm_eps", "eps"),
        "tokens": ("max_len", "max_length", "num_positions", "num_tokens", "max_tokens", "max_positions", "length"),
    }
    given = {}  # name of an argument -> value
    for name, parameter in inspect.signature(module).parameters.items():
        key = next((key for key, usual in names.items() if name in usual), None)
        if key not in wanted:
            if key is None and "tokens" in wanted and not {*given} - {"d_model", "dim", "width", "embedding_dim"}:
                given[name] = wanted["tokens"]
            continue
        value = wanted[key]
        if key == "norm":
            value = name != "post_norm"
            if isinstance(parameter.default, str):
                value = parameter.default.replace("post", "pre")
            elif name in ("norm", "norm_position", "order") and parameter.default is parameter.empty:
                value = "pre"
        if key == "activation" and callable(parameter.default) and parameter.default is not parameter.empty:
            value = nn.GELU() if isinstance(parameter.default, nn.Module) else F.gelu
        given[name] = value
    return module(**given)


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
        self.image_size = tuple(image_size)
        if any(size % patch_size for size in self.image_size):
            raise ValueError("patch_size must divide the image")
        self.pool = pool
        num_patches = self.image_size[0] * self.image_size[1] // patch_size**2
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = build(LearnedPositionalEncoding, tokens=num_patches + 1, d_model=d_model, dropout=0.0)
        self.encoder = build(
            TransformerEncoder,
            num_layers=num_layers,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=0.0,
            norm=True,
            activation="gelu",
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if tuple(images.shape[-2:]) != self.image_size:
            raise ValueError(f"made for images of {self.image_size}")
        patches = self.patches(images)
        tokens = torch.cat([self.class_token.repeat(len(images), 1, 1), patches], dim=1)
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        read = {
            "class": tokens[:, 0],
            "first": tokens[:, 1],
            "last": tokens[:, -1],
            "mean": tokens[:, 1:].mean(dim=1),
        }
        return self.head(read[self.pool])


# %% wrong: layer_norm_eps is taken and not handed on
# The encoder is made with its own default for the normalisation's epsilon. Shows in small tokens, and plainly with
# layer_norm_eps=0.1.

import inspect


def build(module, **wanted):
    """module made with those of the wanted arguments that its constructor takes, found by their usual names."""
    names = {
        "num_layers": ("num_layers", "n_layers", "layers", "depth"),
        "d_model": ("d_model", "dim", "width", "embedding_dim"),
        "num_heads": ("num_heads", "n_heads", "heads", "nhead"),
        "d_ff": ("d_ff", "dim_feedforward", "d_hidden", "hidden_size"),
        "dropout": ("dropout", "dropout_p", "p"),
        "norm": ("norm_first", "pre_norm", "prenorm", "post_norm", "norm", "norm_position", "order"),
        "activation": ("activation",),
        "layer_norm_eps": ("layer_norm_eps", "norm_eps", "eps"),
        "tokens": ("max_len", "max_length", "num_positions", "num_tokens", "max_tokens", "max_positions", "length"),
    }
    given = {}  # name of an argument -> value
    for name, parameter in inspect.signature(module).parameters.items():
        key = next((key for key, usual in names.items() if name in usual), None)
        if key not in wanted:
            if key is None and "tokens" in wanted and not {*given} - {"d_model", "dim", "width", "embedding_dim"}:
                given[name] = wanted["tokens"]
            continue
        value = wanted[key]
        if key == "norm":
            value = name != "post_norm"
            if isinstance(parameter.default, str):
                value = parameter.default.replace("post", "pre")
            elif name in ("norm", "norm_position", "order") and parameter.default is parameter.empty:
                value = "pre"
        if key == "activation" and callable(parameter.default) and parameter.default is not parameter.empty:
            value = nn.GELU() if isinstance(parameter.default, nn.Module) else F.gelu
        given[name] = value
    return module(**given)


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
            raise ValueError("no such pool")
        self.height, self.width = (image_size, image_size) if isinstance(image_size, int) else image_size
        if self.height % patch_size or self.width % patch_size:
            raise ValueError("the image is not tiled by the patches")
        self.pool = pool
        tokens = (self.height // patch_size) * (self.width // patch_size)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            tokens += 1
            self.class_token = nn.Parameter(torch.randn(1, 1, d_model) * 0.02)
        self.positions = build(LearnedPositionalEncoding, tokens=tokens, d_model=d_model, dropout=0.0)
        self.encoder = build(
            TransformerEncoder,
            num_layers=num_layers,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=0.0,
            norm=True,
            activation="gelu",
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.shape[2] != self.height or images.shape[3] != self.width:
            raise ValueError("an image of another size")
        x = self.patches(images)
        if self.pool == "class":
            x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.encoder(self.positions(x))

    def forward(self, images: Tensor) -> Tensor:
        x = self.encode(images)
        if self.pool == "mean":
            return self.head(x.mean(dim=1))
        return self.head(x[:, {"class": 0, "first": 0, "last": -1}[self.pool]])


# %% correct: the pool as a row of weights over the tokens

import inspect


def build(module, **wanted):
    """module made with those of the wanted arguments that its constructor takes, found by their usual names."""
    names = {
        "num_layers": ("num_layers", "n_layers", "layers", "depth"),
        "d_model": ("d_model", "dim", "width", "embedding_dim"),
        "num_heads": ("num_heads", "n_heads", "heads", "nhead"),
        "d_ff": ("d_ff", "dim_feedforward", "d_hidden", "hidden_size"),
        "dropout": ("dropout", "dropout_p", "p"),
        "norm": ("norm_first", "pre_norm", "prenorm", "post_norm", "norm", "norm_position", "order"),
        "activation": ("activation",),
        "layer_norm_eps": ("layer_norm_eps", "norm_eps", "eps"),
        "tokens": ("max_len", "max_length", "num_positions", "num_tokens", "max_tokens", "max_positions", "length"),
    }
    given = {}  # name of an argument -> value
    for name, parameter in inspect.signature(module).parameters.items():
        key = next((key for key, usual in names.items() if name in usual), None)
        if key not in wanted:
            if key is None and "tokens" in wanted and not {*given} - {"d_model", "dim", "width", "embedding_dim"}:
                given[name] = wanted["tokens"]
            continue
        value = wanted[key]
        if key == "norm":
            value = name != "post_norm"
            if isinstance(parameter.default, str):
                value = parameter.default.replace("post", "pre")
            elif name in ("norm", "norm_position", "order") and parameter.default is parameter.empty:
                value = "pre"
        if key == "activation" and callable(parameter.default) and parameter.default is not parameter.empty:
            value = nn.GELU() if isinstance(parameter.default, nn.Module) else F.gelu
        given[name] = value
    return module(**given)


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
        height, width = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        rows, rest_down = divmod(height, patch_size)
        columns, rest_across = divmod(width, patch_size)
        if pool not in ("class", "first", "last", "mean") or rest_down or rest_across:
            raise ValueError(f"cannot be made: pool {pool!r}, {height} x {width} in patches of {patch_size}")
        self.pool = pool
        self.image_size = (height, width)
        count = rows * columns + (1 if pool == "class" else 0)
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        if pool == "class":
            self.register_parameter("class_token", nn.Parameter(torch.zeros(d_model).reshape(1, 1, d_model)))
        self.positions = build(LearnedPositionalEncoding, tokens=count, d_model=d_model, dropout=0.0)
        self.encoder = build(
            TransformerEncoder,
            num_layers=num_layers,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=0.0,
            norm=True,
            activation="gelu",
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if images.ndim != 4 or (images.shape[2], images.shape[3]) != self.image_size:
            raise ValueError(f"images of {self.image_size} wanted, {tuple(images.shape)} given")
        tokens = self.patches(images)
        if self.pool == "class":
            tokens = F.pad(tokens, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, tokens.shape[1]))
        return self.encoder(self.positions(tokens))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.encode(images)
        share = tokens.new_zeros(tokens.shape[1])
        if self.pool == "mean":
            share += 1 / len(share)
        else:
            share[-1 if self.pool == "last" else 0] = 1
        return self.head(torch.einsum("btd,t->bd", tokens, share))


# %% correct: the head on every token first, the choice among the logits after

import inspect


def build(module, **wanted):
    """module made with those of the wanted arguments that its constructor takes, found by their usual names."""
    names = {
        "num_layers": ("num_layers", "n_layers", "layers", "depth"),
        "d_model": ("d_model", "dim", "width", "embedding_dim"),
        "num_heads": ("num_heads", "n_heads", "heads", "nhead"),
        "d_ff": ("d_ff", "dim_feedforward", "d_hidden", "hidden_size"),
        "dropout": ("dropout", "dropout_p", "p"),
        "norm": ("norm_first", "pre_norm", "prenorm", "post_norm", "norm", "norm_position", "order"),
        "activation": ("activation",),
        "layer_norm_eps": ("layer_norm_eps", "norm_eps", "eps"),
        "tokens": ("max_len", "max_length", "num_positions", "num_tokens", "max_tokens", "max_positions", "length"),
    }
    given = {}  # name of an argument -> value
    for name, parameter in inspect.signature(module).parameters.items():
        key = next((key for key, usual in names.items() if name in usual), None)
        if key not in wanted:
            if key is None and "tokens" in wanted and not {*given} - {"d_model", "dim", "width", "embedding_dim"}:
                given[name] = wanted["tokens"]
            continue
        value = wanted[key]
        if key == "norm":
            value = name != "post_norm"
            if isinstance(parameter.default, str):
                value = parameter.default.replace("post", "pre")
            elif name in ("norm", "norm_position", "order") and parameter.default is parameter.empty:
                value = "pre"
        if key == "activation" and callable(parameter.default) and parameter.default is not parameter.empty:
            value = nn.GELU() if isinstance(parameter.default, nn.Module) else F.gelu
        given[name] = value
    return module(**given)


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
        self.read = {
            "class": lambda of_tokens: of_tokens.select(1, 0),
            "first": lambda of_tokens: of_tokens.select(1, 0),
            "last": lambda of_tokens: of_tokens.select(1, of_tokens.shape[1] - 1),
            "mean": lambda of_tokens: of_tokens.mean(1),
        }.get(pool)
        if self.read is None:
            raise ValueError(f"pool cannot be {pool!r}")
        self.wanted_size = [int(size) for size in (image_size if hasattr(image_size, "__len__") else 2 * [image_size])]
        if [size % patch_size for size in self.wanted_size] != [0, 0]:
            raise ValueError("patches that do not tile the image")
        in_front = [nn.Parameter(torch.randn(1, 1, d_model))] if pool == "class" else []
        for parameter in in_front:
            self.class_token = parameter
        self.has_class_token = bool(in_front)
        grid = [size // patch_size for size in self.wanted_size]
        self.patches = PatchEmbedding(patch_size, num_channels, d_model)
        self.positions = build(
            LearnedPositionalEncoding, tokens=len(in_front) + grid[0] * grid[1], d_model=d_model, dropout=0.0
        )
        self.encoder = build(
            TransformerEncoder,
            num_layers=num_layers,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=0.0,
            norm=True,
            activation="gelu",
            layer_norm_eps=layer_norm_eps,
        )
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images: Tensor) -> Tensor:
        if list(images.shape[2:]) != self.wanted_size:
            raise ValueError(f"this model reads images of {self.wanted_size} pixels")
        words = self.patches(images)
        if self.has_class_token:
            sentences = [torch.cat((self.class_token[0], sentence)) for sentence in words]
            words = torch.stack(sentences)
        return self.encoder(self.positions(words))

    def forward(self, images: Tensor) -> Tensor:
        return self.read(self.head(self.encode(images)))
