# %% wrong: one layer six times
# The list holds num_layers names for ONE layer, so all layers share their weights.
# Breaks "each with weights of its own". Hint: how many parameters does the tower have with one layer, and with two?

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, since nothing else norms the end of the stream,
    and nn.Identity otherwise.
    forward: x (B, T, D), mask as in EncoderLayer, the same for every layer. Returns (B, T, D).
    """

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


# %% wrong: a plain Python list
# The layers stand in an ordinary list, so PyTorch does not know of them: no parameters, no state_dict, no .to, no .eval.
# Breaks the tower as a module (nothing of its layers would be trained). Hint: what does `tower.parameters()` give you?

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, since nothing else norms the end of the stream,
    and nn.Identity otherwise.
    forward: x (B, T, D), mask as in EncoderLayer, the same for every layer. Returns (B, T, D).
    """

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


# %% wrong: norm_first is not handed on
# Only the last norm looks at norm_first; the layers keep EncoderLayer's own default, the norm after.
# Breaks norm_first=True (the tower's default). Hint: which defaults of EncoderLayer differ from those of the tower?

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, since nothing else norms the end of the stream,
    and nn.Identity otherwise.
    forward: x (B, T, D), mask as in EncoderLayer, the same for every layer. Returns (B, T, D).
    """

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
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the activation is not handed on
# The activation of the constructor is accepted and forgotten; every layer uses ReLU.
# Right for the default, wrong for F.gelu. Hint: follow each argument of the constructor to where it is used.

class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, since nothing else norms the end of the stream,
    and nn.Identity otherwise.
    forward: x (B, T, D), mask as in EncoderLayer, the same for every layer. Returns (B, T, D).
    """

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
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: keyword dictionary, append and reduce

from functools import reduce


class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first, since nothing else norms the end of the stream,
    and nn.Identity otherwise.
    forward: x (B, T, D), mask as in EncoderLayer, the same for every layer. Returns (B, T, D).
    """

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
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **settings))
        if norm_first:
            self.norm = nn.LayerNorm((d_model,), layer_norm_eps)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(reduce(lambda stream, layer: layer(stream, mask=mask), self.layers, x))
