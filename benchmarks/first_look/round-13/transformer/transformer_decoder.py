# %% wrong: the memory's mask is left behind
# memory_mask is not passed on, so padding in the source is looked at. Shows with any memory_mask that forbids
# something, from one layer on.

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
            x = layer(x, memory, mask)
        return self.norm(x)

# %% wrong: every layer reads the first stream
# Each layer gets x as it came in, and only the last one's output is kept. Shows from two layers on; without layers
# there is no output at all, and it raises.

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
            output = layer(x, memory, mask, memory_mask)
        return self.norm(output)

# %% wrong: causal where no mask is given
# None should allow every position; here it is replaced by a causal mask. Shows with mask=None, T of 2 or more and a
# layer.

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
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)

# %% wrong: the memory is normed by the stack
# self.norm goes over the memory as well, "so that both are normed". All layers should get the memory as it was given. Shows
# with norm_first=True, where the memory is not normed already.

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
            x = layer(x, memory, mask=mask, memory_mask=memory_mask)
        return self.norm(x)

# %% correct: functions put behind each other

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
        def then(first: Callable, layer: nn.Module) -> Callable:
            return lambda stream: layer(first(stream), memory, mask, memory_mask)

        run = lambda stream: stream  # noqa: E731
        for layer in self.layers:
            run = then(run, layer)
        return self.norm(run(x))

# %% correct: all streams kept, the last one normed

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
        streams = [x]
        given = {"memory": memory, "mask": mask, "memory_mask": memory_mask}
        while len(streams) <= len(self.layers):
            streams.append(self.layers[len(streams) - 1](streams[-1], **given))
        return self.norm(streams.pop())
