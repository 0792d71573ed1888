# %% wrong: norm_first stays here
# The layers do not get norm_first, and their own default is False: with norm_first=True (the default) and at least one
# layer the tower is post-norm with one more norm at the end.

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, then `norm`."""

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
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the last norm with its own eps
# The norm at the end is made without layer_norm_eps; shows with norm_first=True and layer_norm_eps=0.1.

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, then `norm`."""

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
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: without layers nothing happens
# Returns x as it came where num_layers is 0; with norm_first=True it has to be normed even then.

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, then `norm`."""

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
            dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
        )
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if len(self.layers) == 0:
            return x
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the activation is forgotten
# Three settings are passed on, the activation is not: with activation=F.gelu the layers still use ReLU.

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, then `norm`."""

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
            [
                EncoderLayer(
                    d_model, num_heads, d_ff, dropout=dropout, layer_norm_eps=layer_norm_eps, norm_first=norm_first
                )
                for _ in range(num_layers)
            ]
        )
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: built by map, run by reduce
import functools


class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, then `norm`."""

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
        build = functools.partial(EncoderLayer, d_model, num_heads, d_ff, **settings)
        self.layers = nn.ModuleList(map(lambda _: build(), range(num_layers)))
        make_norm = (nn.Identity, functools.partial(nn.LayerNorm, d_model, eps=layer_norm_eps))[bool(norm_first)]
        self.norm = make_norm()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(functools.reduce(lambda stream, layer: layer(stream, mask), self.layers, x))


# %% correct: up the tower by recursion
class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, then `norm`."""

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
        self.layers, self.norm = nn.ModuleList(), nn.Identity()
        while len(self.layers) < num_layers:
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
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def climb(self, x: Tensor, mask: Tensor | None, height: int) -> Tensor:
        """The stream after the first `height` layers."""
        if height == 0:
            return x
        return self.layers[height - 1](self.climb(x, mask, height - 1), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self.climb(x, mask, len(self.layers)))
