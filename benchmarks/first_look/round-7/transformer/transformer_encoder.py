# %% wrong: one layer under many names
# [layer] * num_layers registers one layer several times: the weights are shared and there are too few of them,
# for num_layers above 1.


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
        layer = EncoderLayer(
            d_model,
            num_heads,
            d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.layers = nn.ModuleList([layer] * num_layers)
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: not all settings are handed on
# The layers keep the default activation and eps: shows with activation=F.gelu, or with a large layer_norm_eps.


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
            [EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the norm after every layer
# The last norm stands inside the loop and norms the stream between the layers: differs with norm_first and more than
# one layer.


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
            x = self.norm(layer(x, mask))
        return x


# %% wrong: the layers stay with their own norm_first
# EncoderLayer has norm_first=False by default and the tower True; it is not handed on, so a tower with norm_first has
# post-norm layers and a norm behind them.


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
        settings = {"dropout": dropout, "activation": activation, "layer_norm_eps": layer_norm_eps}
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: built downwards, called by recursion


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
        while len(self.layers) < num_layers:
            self.layers.append(
                EncoderLayer(
                    d_model,
                    num_heads,
                    d_ff,
                    norm_first=norm_first,
                    layer_norm_eps=layer_norm_eps,
                    activation=activation,
                    dropout=dropout,
                )
            )
        self.add_module("norm", nn.LayerNorm(d_model, layer_norm_eps) if norm_first else nn.Identity())

    def up_to(self, level: int, x: Tensor, mask: Tensor | None) -> Tensor:
        if level == 0:
            return x
        return self.layers[level - 1](self.up_to(level - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self.up_to(len(self.layers), x, mask))


# %% correct: functools.reduce over a Sequential


from functools import partial, reduce


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
        new_layer = partial(
            EncoderLayer,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.layers = nn.Sequential(*(new_layer() for _ in range(num_layers)))
        self.norm = (nn.Identity, partial(nn.LayerNorm, eps=layer_norm_eps))[bool(norm_first)](d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))
