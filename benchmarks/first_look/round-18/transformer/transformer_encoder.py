# %% wrong: one layer under many names
# num_layers of 2 or more: the layers share their weights.

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
        settings = dict(dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, **settings)] * num_layers)
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: norm_first not passed on
# norm_first=True: the layers are post-norm.

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
        settings = dict(dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the last norm without eps
# layer_norm_eps other than 1e-5.

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
        settings = dict(dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: mask for the first layer only
# num_layers of 2 or more with a mask.

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
        settings = dict(dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x, mask = layer(x, mask), None
        return self.norm(x)

# %% correct: append, and a norm after a slice

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
                    d_model, num_heads, d_ff,
                    norm_first=norm_first, layer_norm_eps=layer_norm_eps, activation=activation, dropout=dropout,
                )
            )
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm((d_model,), layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        stream = [x]
        for i in range(len(self.layers)):
            stream.append(self.layers[i](stream[-1], mask=mask))
        return self.norm(stream[-1])

# %% correct: reduce

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
        make = partial(
            EncoderLayer, d_model, num_heads, d_ff,
            dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first,
        )
        self.layers = nn.ModuleList([make() for _ in range(num_layers)])
        self.norm = {True: lambda: nn.LayerNorm(d_model, eps=layer_norm_eps), False: nn.Identity}[bool(norm_first)]()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(reduce(lambda y, layer: layer(y, mask), self.layers, x))

