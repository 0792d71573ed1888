# %% wrong: a list that the module does not know
# The layers are in a plain list: they run, but are not among the module's parameters, so no optimiser trains them, and
# saving, .to and .eval pass them by.
# Hint: count the parameters of your tower. Which class holds layers so that the module knows of them?

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


# %% wrong: norm_first not handed on
# The layers are made with their own default, the norm after, while the tower's is the norm before: the tower norms its end
# and its layers are of the other kind.
# Hint: look at the default of norm_first in EncoderLayer, and at what you give it.

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
                d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the norm's eps and the activation forgotten
# What has a default is left to it: with another activation or another layer_norm_eps the tower is built as if nothing had
# been said.
# Hint: go through the constructor's arguments one by one. Which of them do you use nowhere?

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
        if norm_first:
            self.norm = nn.LayerNorm(d_model)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        x = self.norm(x)
        return x


# %% wrong: the mask for the first layer alone
# The first layer gets the mask, the others look at everything: padding and the future come in from the second layer on.
# Hint: change the last token under a causal mask, in a tower of two layers. Which outputs move?

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
        make = lambda: EncoderLayer(
            d_model,
            num_heads,
            d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.layers = nn.ModuleList(make() for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        first, *others = self.layers
        x = first(x, mask)
        for layer in others:
            x = layer(x)
        return self.norm(x)


# %% wrong: a norm at the end whatever the placement
# Where the layers norm after each sum the tower norms once more, with weights of its own that should not be there.
# Hint: what should `norm` be where norm_first is False? Count the parameters of both kinds.

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
        layers = []
        for _ in range(num_layers):
            layers.append(
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
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: the layers appended one by one, and folded over the stream

from functools import reduce


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
        options = {
            "dropout": dropout,
            "activation": activation,
            "layer_norm_eps": layer_norm_eps,
            "norm_first": norm_first,
        }
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **options))
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))


# %% correct: an nn.Sequential as the shelf, run by hand

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
        def new_layer() -> EncoderLayer:
            return EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                norm_first=norm_first,
                layer_norm_eps=layer_norm_eps,
                activation=activation,
                dropout=dropout,
            )

        self.layers = nn.Sequential(*(new_layer() for _ in range(num_layers)))
        self.norm = (nn.LayerNorm if norm_first else nn.Identity)(d_model, eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        stream = x
        for i in range(len(self.layers)):
            stream = self.layers[i](stream, mask=mask)
        return self.norm(stream)
