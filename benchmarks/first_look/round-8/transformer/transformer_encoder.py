# %% wrong: one layer, six names
# The list holds the same layer num_layers times: one set of weights. Shows for num_layers > 1 in the
# number of parameters and when one layer's weights are changed.

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
            d_model, num_heads, d_ff,
            dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first,
        )
        self.layers = nn.ModuleList([layer] * num_layers)
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the layers are not told where the norm goes
# norm_first decides on the tower's norm and is not handed on: the layers keep their default, the norm
# after. Shows with norm_first=True, the tower's default.

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
                    d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps
                )
            )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% wrong: the tower's norm behind every layer
# The norm stands inside the loop, so the stream is normed after each layer and not once at the end.
# Shows with norm_first=True and num_layers > 1.

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
# layer_norm_eps reaches the layers and not the tower's own norm, which keeps 1e-5. Shows with norm_first=True
# and another layer_norm_eps, say 0.1.

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
        if norm_first:
            self.norm = nn.LayerNorm(d_model)
        else:
            self.norm = nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% correct: a Sequential used as a list

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
        for number in range(num_layers):
            layer = EncoderLayer(
                d_model, num_heads, d_ff,
                dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first,
            )
            self.layers.add_module(str(number), layer)
        kind = nn.LayerNorm if norm_first else nn.Identity
        self.norm = kind(d_model, eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def up_to(number: int) -> Tensor:
            return x if number == 0 else self.layers[number - 1](up_to(number - 1), mask)

        return self.norm(up_to(len(self.layers)))

# %% correct: a reduction over the layers

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

        new_layer = partial(
            EncoderLayer, d_model, num_heads, d_ff,
            activation=activation, norm_first=norm_first, layer_norm_eps=layer_norm_eps, dropout=dropout,
        )
        self.layers = nn.ModuleList(new_layer() for _ in range(num_layers))
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(normalized_shape=[d_model], eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        from functools import reduce

        return reduce(lambda stream, part: part(stream), [*(lambda y, layer=layer: layer(y, mask) for layer in self.layers), self.norm], x)
