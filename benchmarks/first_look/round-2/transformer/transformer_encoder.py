# %% wrong: one layer under many names
# [layer] * n: all layers share their weights. A good message: "the tower has the parameters of one layer".

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

# %% wrong: norm_first kept from the layers
# norm_first decides about the last norm and is not handed to the layers, whose default is False; so the tower is post-norm with one norm too many. A good message: "the layers of a tower with norm_first=True have norm_first False".

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

# %% wrong: a plain list, and torch's own eps
# The layers stand in a Python list, so parameters() and .to() do not see them; the last norm has 1e-5 whatever was asked for. A good message: "parameters() misses the layers: nn.ModuleList" and "norm.eps is 1e-5, layer_norm_eps was 1e-3".

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
        options = {"dropout": dropout, "activation": activation, "layer_norm_eps": layer_norm_eps}
        self.layers = [
            EncoderLayer(d_model, num_heads, d_ff, norm_first=norm_first, **options) for _ in range(num_layers)
        ]
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

# %% correct: appended, and walked recursively

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
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, **options))
        self.norm = [nn.Identity, lambda: nn.LayerNorm(d_model, eps=layer_norm_eps)][bool(norm_first)]()

    def _up(self, x: Tensor, mask: Tensor | None, floor: int) -> Tensor:
        return x if floor == 0 else self.layers[floor - 1](self._up(x, mask, floor - 1), mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.norm(self._up(x, mask, len(self.layers)))
