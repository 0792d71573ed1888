# %% wrong: every layer reads the tower's input
# The result is kept under another name and x is never replaced: only the last layer counts. Shows with two layers or
# more; one layer, or none, is right.

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

        output = x
        for layer in self.layers:
            output = layer(x, mask)
        return self.norm(output)


# %% wrong: the last norm without weights of its own
# self.norm is a function, F.layer_norm, and no nn.LayerNorm: it has no learned weight and bias, and state_dict
# lacks norm.weight. Shows with norm_first=True.

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
        if norm_first:
            self.norm = lambda y: F.layer_norm(y, (d_model,), eps=layer_norm_eps)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:

        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the mask for the first layer alone
# From the second layer on padding is visible again. Shows with two layers and a mask.

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
            x = layer(x, mask)
            mask = None  # what is masked is gone from x now
        return self.norm(x)


# %% wrong: dropout on what comes in
# The tower drops numbers of its own input in training, which only the embedding should do. Shows in training mode with
# dropout=0.5, with num_layers=0 most clearly.

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
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:

        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: partial, append and reduce

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
        make = partial(EncoderLayer, d_model, num_heads, d_ff, norm_first=norm_first)
        make = partial(make, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps)
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(make())
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm([d_model], layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:

        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))


# %% correct: a recursion over the layers

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
        self.layers = nn.ModuleList([])
        self.layers.extend([EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers)])
        kinds = {True: lambda: nn.LayerNorm(d_model, eps=layer_norm_eps), False: nn.Identity}
        self.norm = kinds[bool(norm_first)]()

    def after(self, count: int, x: Tensor, mask: Tensor | None) -> Tensor:
        """The stream behind the first count layers."""
        return x if count == 0 else self.layers[count - 1](self.after(count - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:

        return self.norm(self.after(len(self.layers), x, mask))
