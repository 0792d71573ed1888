# %% wrong: the norm after every layer
# self.norm stands inside the loop. Right with one layer or with norm_first=False; wrong with two
# layers, and with none the norm is left out.

class TransformerDecoder(nn.Module):
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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = self.norm(layer(x, memory, mask, memory_mask))
        return x


# %% wrong: the norm for the memory too
# The memory goes through the decoder's norm before the layers read it. It shows with norm_first=True
# and at least one layer.

class TransformerDecoder(nn.Module):
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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        memory = self.norm(memory)
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


# %% wrong: both masks in one
# Where there is a memory_mask the self-attention gets it as well, so that padding is hidden
# everywhere. It shows with both masks where S is T (otherwise the shapes do not fit).

class TransformerDecoder(nn.Module):
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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if mask is not None and memory_mask is not None:
            mask = mask & memory_mask
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)


# %% wrong: an empty tower gives back its input
# With num_layers=0 x is returned before the norm. It shows with num_layers=0 and norm_first=True.

class TransformerDecoder(nn.Module):
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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if len(self.layers) == 0:
            return x
        for layer in self.layers[:-1]:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(self.layers[-1](x, memory, mask, memory_mask))


# %% correct: reduce with keywords

class TransformerDecoder(nn.Module):
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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        from functools import partial, reduce

        held = {"memory": memory, "mask": mask, "memory_mask": memory_mask}
        steps = [partial(layer, **held) for layer in self.layers]
        return reduce(lambda stream, step: step(stream), [*steps, self.norm], x)


# %% correct: a queue of layers

class TransformerDecoder(nn.Module):
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
        sizes = d_model, num_heads, d_ff
        self.layers = nn.ModuleList(
            DecoderLayer(
                *sizes, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first
            )
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        waiting = list(self.layers)[::-1]
        while waiting:
            layer = waiting.pop()
            x = layer(x, memory, mask=mask, memory_mask=memory_mask)
        return self.norm(x)
