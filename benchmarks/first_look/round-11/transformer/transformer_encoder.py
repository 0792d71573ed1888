# %% wrong: a norm at the end in both placements
# With norm_first=False `norm` was to be nn.Identity: here it is one more LayerNorm, with weights that do not
# belong there (they show in the output once the last norm2's weights are trained, and in the state_dict).

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
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: one setting is not passed on
# The activation stays behind in the constructor, so that every layer has the ReLU:
# TransformerEncoder(..., activation=F.gelu) shows it.

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
        settings = {"dropout": dropout, "layer_norm_eps": layer_norm_eps, "norm_first": norm_first}
        self.activation = activation
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, **settings) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: the norm behind every layer
# self.norm stands in the loop, so the stream is rescaled between the layers. Right with one layer; with two
# or more and norm_first=True it shows, and with none the stream is not normed.

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


# %% wrong: no layers, no norm
# Returns x untouched where num_layers is 0; with norm_first the stream was to be normed once even then.

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
        if len(self.layers) == 0:
            return x
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: the last layer asks for what stands before it

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
        settings = dict(
            dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
        )
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **settings))
        self.norm = {True: lambda: nn.LayerNorm(d_model, layer_norm_eps), False: nn.Identity}[bool(norm_first)]()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def stream_behind(count: int) -> Tensor:
            if count == 0:
                return x
            return self.layers[count - 1](stream_behind(count - 1), mask)

        return self.norm(stream_behind(len(self.layers)))


# %% correct: a fold over the layers

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

        one_more = partial(
            EncoderLayer,
            d_model,
            num_heads,
            d_ff,
            dropout=dropout,
            activation=activation,
            layer_norm_eps=layer_norm_eps,
            norm_first=norm_first,
        )
        self.add_module("layers", nn.ModuleList([]))
        self.layers.extend(one_more() for _ in range(num_layers))
        self.add_module("norm", nn.LayerNorm([d_model], eps=layer_norm_eps) if norm_first else nn.Identity())

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        from functools import reduce

        return reduce(
            lambda stream, part: part(stream),
            [*((lambda stream, layer=layer: layer(stream, mask)) for layer in self.layers), self.norm],
            x,
        )
