# %% wrong: the last norm has its own idea of eps
# layer_norm_eps reaches the layers, but the norm at the end is made with the default of 1e-5. Shows with another eps, as 0.1, and norm_first=True.

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
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: there must be a first layer
# The first layer is called before the loop over the others: with num_layers=0 layers[0] raises an IndexError. num_layers may be 0.

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
        settings = {
            "dropout": dropout,
            "activation": activation,
            "layer_norm_eps": layer_norm_eps,
            "norm_first": norm_first,
        }
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        hidden = self.layers[0](x, mask)
        for layer in self.layers[1:]:
            hidden = layer(hidden, mask)
        return self.norm(hidden)

# %% wrong: every stack ends in a norm
# The norm at the end is an nn.LayerNorm in both placements. With norm_first=False it should be nn.Identity: parameters too many, and once they are trained
# another output (untrained, the last layer's output is normed already).

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
            self.layers.append(
                EncoderLayer(
                    d_model,
                    num_heads,
                    d_ff,
                    dropout=dropout,
                    activation=activation,
                    layer_norm_eps=layer_norm_eps,
                    norm_first=norm_first,
                )
            )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the activation does not get through
# Of the settings behind the star activation is forgotten, and every layer has its default. Shows with gelu, tanh or anything but F.relu.

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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            EncoderLayer(*sizes, dropout=dropout, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
            for _ in range(num_layers)
        )
        if norm_first:
            self.norm = nn.LayerNorm(d_model, layer_norm_eps)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% correct: folded up

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
        from functools import partial

        make = partial(
            EncoderLayer,
            d_model,
            num_heads,
            d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.layers = nn.ModuleList(make() for _ in range(num_layers))
        self.norm = {True: partial(nn.LayerNorm, d_model, eps=layer_norm_eps), False: nn.Identity}[bool(norm_first)]()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        from functools import reduce

        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))

# %% correct: each level asks the one below

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
        behind_the_star = dict(
            dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
        )
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **behind_the_star))
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def level(self, number: int, x: Tensor, mask: Tensor | None) -> Tensor:
        """The stream after `number` layers."""
        return x if number == 0 else self.layers[number - 1](self.level(number - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self.level(len(self.layers), x, mask))
