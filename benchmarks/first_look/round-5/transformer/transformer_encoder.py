# %% wrong: only the first layer gets the mask
# Thinks that what is masked at the bottom stays masked; every layer needs the mask anew.

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
        for i, layer in enumerate(self.layers):
            x = layer(x, mask) if i == 0 else layer(x)
        return self.norm(x)


# %% wrong: the last norm has an epsilon of its own
# layer_norm_eps reaches the layers, but not the norm at the end of the tower.

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
        options = dict(dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, **options) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the last norm stands within the loop
# One level of indentation too far: the stream is normed after every layer and not once at the end.

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
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
            x = self.norm(x)
        return x


# %% wrong: the layers are not told where the norm goes
# norm_first is used for the last norm only; the layers keep their default, the norm behind.

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
            EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        out = x
        for layer in self.layers:
            out = layer(out, mask)
        return self.norm(out)


# %% wrong: a plain list of layers
# Layers in a Python list are not registered: parameters(), train(), to() and state_dict() do not find them.

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
        self.layers = [
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
        ]
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: a reduce over the layers

import functools


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
        make = functools.partial(
            EncoderLayer,
            d_model,
            num_heads,
            d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        layers = []
        while len(layers) < num_layers:
            layers.append(make())
        self.layers = nn.ModuleList(layers)
        self.norm = (nn.Identity, nn.LayerNorm)[norm_first](d_model, **({"eps": layer_norm_eps} if norm_first else {}))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        top = functools.reduce(lambda stream, layer: layer(stream, mask=mask), self.layers, x)
        return self.norm(top)


# %% correct: climbed by recursion

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
        self.layers = nn.Sequential()
        for level in range(num_layers):
            layer = EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout=dropout,
                activation=activation,
                layer_norm_eps=layer_norm_eps,
                norm_first=norm_first,
            )
            self.layers.add_module(str(level), layer)
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def _after(self, count: int, x: Tensor, mask: Tensor | None) -> Tensor:
        """What stands in the stream after the first `count` layers."""
        return x if count == 0 else self.layers[count - 1](self._after(count - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self._after(len(self.layers), x, mask))
