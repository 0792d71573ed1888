# %% wrong: the stack adds as well
# "A stack that adds": x + layer(x), though each layer has already added its input. It shows for
# any x with one layer or more.

class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=norm_first,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = x + layer(x, mask)
        return self.norm(x)


# %% wrong: the norm by the first layer
# norm_first is looked up in layers[0], which is not there with num_layers=0: IndexError.

class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=norm_first,
            )
            self.layers.append(layer)
        if self.layers[0].norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the mask for the first layer only
# "After the first layer nothing of the padding is left in the stream": the others get no mask. It
# shows with two layers and any mask that forbids something.

class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        settings = dict(
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for number, layer in enumerate(self.layers):
            x = layer(x, mask if number == 0 else None)
        return self.norm(x)


# %% wrong: the activation stays behind
# Of the settings after the * the activation is not passed on, so every layer has the relu. It shows
# with activation=F.gelu.

class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                layer_norm_eps=layer_norm_eps,
                norm_first=norm_first,
            )
            for _ in range(num_layers)
        )
        self.activation = activation
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: reduce over the layers, settings by a dictionary

class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        named = {
            "dropout": dropout,
            "activation": activation,
            "layer_norm_eps": layer_norm_eps,
            "norm_first": norm_first,
        }
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **named))
        self.norm = {True: nn.LayerNorm(d_model, eps=layer_norm_eps), False: nn.Identity()}[
            bool(norm_first)
        ]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        import functools

        return self.norm(functools.reduce(lambda stream, layer: layer(stream, mask), self.layers, x))


# %% correct: up the tower by recursion

class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = True,
    ):
        super().__init__()
        def layer() -> EncoderLayer:
            return EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                norm_first=norm_first,
                layer_norm_eps=layer_norm_eps,
                activation=activation,
                dropout=dropout,
            )

        self.layers = nn.ModuleList([])
        self.layers.extend(layer() for _ in range(num_layers))
        self.add_module("norm", nn.Identity())
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def _up_to(self, floor: int, x: Tensor, mask: Tensor | None) -> Tensor:
        """The stream after the first `floor` layers."""
        if floor == 0:
            return x
        return self.layers[floor - 1](self._up_to(floor - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self._up_to(len(self.layers), x, mask))
