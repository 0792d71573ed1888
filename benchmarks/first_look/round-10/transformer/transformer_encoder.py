# %% wrong: norm_first does not reach the layers
# EncoderLayer's own default is norm_first=False, the tower's is True: with norm_first=True the layers norm behind each sum,
# and the tower once more at the end. Shows for norm_first=True (the default), num_layers > 0.

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


# %% wrong: the norm within the loop
# The stream is normed behind every layer, not once at the end of the stream. Shows with norm_first=True for num_layers > 1
# and (no norm at all) for num_layers = 0; right for one layer.

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
                d_model, num_heads, d_ff,
                dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
            x = self.norm(x)
        return x


# %% wrong: the last norm has an eps of its own
# layer_norm_eps goes to the layers, and not to the tower's norm, which has PyTorch's 1e-5. Shows with norm_first=True and another
# layer_norm_eps, e.g. 0.1.

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
                d_model, num_heads, d_ff,
                dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: a tower needs a first layer
# The first layer is taken out of the loop to give it the input: IndexError for num_layers = 0, which the docstring allows.

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
                d_model, num_heads, d_ff,
                dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first,
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        output = self.layers[0](x, mask)
        for i in range(1, len(self.layers)):
            output = self.layers[i](output, mask)
        return self.norm(output)


# %% correct: a Sequential that is folded

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
        settings = {
            "dropout": dropout,
            "activation": activation,
            "layer_norm_eps": layer_norm_eps,
            "norm_first": norm_first,
        }
        new_layer = partial(EncoderLayer, d_model, num_heads, d_ff, **settings)
        self.layers = nn.Sequential(*(new_layer() for _ in range(num_layers)))
        self.norm = (nn.Identity, partial(nn.LayerNorm, eps=layer_norm_eps))[bool(norm_first)](d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))


# %% correct: recursion over the floors

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
                    d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, activation=activation,
                    layer_norm_eps=layer_norm_eps, norm_first=norm_first,
                )
            )
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def after(self, floor: int, x: Tensor, mask: Tensor | None) -> Tensor:
        """The stream above the first `floor` layers."""
        return x if floor == 0 else self.layers[floor - 1](self.after(floor - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self.after(len(self.layers), x, mask))
