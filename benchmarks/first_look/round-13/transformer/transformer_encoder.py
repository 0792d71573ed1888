# %% wrong: one layer under many names
# A list of the same layer num_layers times: all share their weights, and the stack has the parameters of one. Shows
# from num_layers = 2 on.

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
            d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
        )
        self.layers = nn.ModuleList([layer] * num_layers)
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the activation is not passed on
# Every layer gets the default ReLU. Shows with activation=F.gelu.

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
            EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the last norm has its own eps
# layer_norm_eps reaches the layers but not self.norm, which keeps PyTorch's 1e-5. Shows with norm_first=True and
# layer_norm_eps=0.1, with no layers too.

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
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **settings))
        if norm_first:
            self.norm = nn.LayerNorm(d_model)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the norm inside the loop
# self.norm is applied behind every layer, and so not at all where there are none. Shows with norm_first=True for
# num_layers = 0, and from 2 on.

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
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = self.norm(layer(x, mask))
        return x

# %% correct: reduce, and a choice by truth value

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
            EncoderLayer,
            d_model,
            num_heads,
            d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.layers = nn.ModuleList([make() for _ in range(num_layers)])
        # nn.Identity takes any arguments and forgets them
        self.norm = (nn.LayerNorm if norm_first else nn.Identity)(d_model, eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))

# %% correct: from the last layer back, by recursion

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
        self.norm = nn.Identity()
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            layer = EncoderLayer(
                d_model, num_heads, d_ff, norm_first=norm_first, layer_norm_eps=layer_norm_eps, activation=activation, dropout=dropout
            )
            self.layers.append(layer)
        if norm_first:
            self.norm = nn.LayerNorm(normalized_shape=d_model, eps=layer_norm_eps)

    def _after(self, count: int, x: Tensor, mask: Tensor | None) -> Tensor:
        """The stream after `count` layers."""
        if count == 0:
            return x
        return self.layers[count - 1](self._after(count - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self._after(len(self.layers), x, mask))
