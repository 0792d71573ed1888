# %% wrong: the layers are not told where to norm
# norm_first is used for the last norm and not passed on. The layers' own default is False, so that by default post-norm layers stand under a pre-norm
# stack's norm.

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


# %% wrong: the last norm has an eps of its own
# layer_norm_eps goes to the layers only; the norm at the end keeps PyTorch's 1e-5. Shows with another layer_norm_eps, most for small x.

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
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **settings))
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: no layers, no norm
# Where num_layers is 0 the input comes back as it is, though with norm_first the norm should be applied there too.

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
        last = len(self.layers) - 1
        for i, layer in enumerate(self.layers):
            x = layer(x, mask)
            if i == last:
                x = self.norm(x)
        return x


# %% wrong: the activation stays in the constructor
# It is an argument of the stack and never reaches the layers: TransformerEncoder(..., activation=F.gelu) works with ReLU.

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
        self.activation = activation

        def layer() -> EncoderLayer:
            return EncoderLayer(
                d_model, num_heads, d_ff, dropout=dropout, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )

        self.layers = nn.ModuleList([layer() for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


# %% correct: partial, extend and reduce
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
        make = functools.partial(EncoderLayer, d_model, num_heads, d_ff, dropout=dropout, activation=activation)
        make = functools.partial(make, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
        self.layers = nn.ModuleList()
        self.layers.extend(make() for _ in range(num_layers))
        self.add_module("norm", nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity())

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(functools.reduce(lambda stream, layer: layer(stream, mask), self.layers, x))


# %% correct: from the top down, each level asks the one below

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
        levels = []
        while len(levels) < num_layers:
            level = EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                norm_first=norm_first,
                layer_norm_eps=layer_norm_eps,
                activation=activation,
                dropout=dropout,
            )
            levels.append(level)
        self.layers = nn.ModuleList(levels)
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def stream_after(self, level: int, x: Tensor, mask: Tensor | None) -> Tensor:
        if level == 0:
            return x
        return self.layers[level - 1](self.stream_after(level - 1, x, mask), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self.stream_after(len(self.layers), x, mask))
