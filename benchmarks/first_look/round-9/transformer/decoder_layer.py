# %% wrong: the memory is normed too
# With norm_first the memory goes through norm2 as the stream does; it should be used as it was given.
# Shows with norm_first=True for any memory whose vectors do not have mean 0 and variance 1.

class DecoderLayer(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            n, m = self.norm2(x), self.norm2(memory)
            x = x + self.dropout(self.cross_attention(n, m, m, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: a causal mask where none is given
# "A decoder's self-attention must be causal", so the layer makes the mask itself; here the caller does that, and None blocks nothing.
# Shows with mask=None and T above 1.

class DecoderLayer(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: norm2 stays with the feed-forward network
# The encoder layer with a part put in between: norm2 is still the network's, and the new part has norm3.
# Shows in both placements as soon as the weights of norm2 and norm3 differ.

class DecoderLayer(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            n = self.norm3(x)
            x = x + self.dropout(self.cross_attention(n, memory, memory, memory_mask)[0])
            n = self.norm2(x)
            return x + self.dropout(self.feed_forward(n))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm3(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: the memory's mask is lost in one of the two placements
# With the norm behind, the cross-attention is called without memory_mask and reads the source's padding.
# Shows with norm_first=False and a memory_mask that blocks something.

class DecoderLayer(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            n = self.norm2(x)
            x = x + self.dropout(self.cross_attention(n, memory, memory, memory_mask)[0])
            n = self.norm3(x)
            x = x + self.dropout(self.feed_forward(n))
        else:
            attended, _ = self.self_attention(x, x, x, mask)
            x = self.norm1(x + self.dropout(attended))
            attended, _ = self.cross_attention(x, memory, memory)
            x = self.norm2(x + self.dropout(attended))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


# %% correct: one query at a time

def row_by_row(attention: nn.Module, queries: Tensor, source: Tensor, mask: Tensor | None) -> Tensor:
    """What attention gives for all queries, asked one after the other."""
    if mask is not None:
        mask = mask.broadcast_to(queries.shape[0], queries.shape[1], source.shape[1])
    rows = []
    for t in range(queries.shape[1]):
        allowed = None if mask is None else mask[:, t : t + 1]
        rows.append(attention(queries[:, t : t + 1], source, source, allowed)[0])
    return torch.cat(rows, dim=1)


class DecoderLayer(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        def read(norm: nn.Module) -> Tensor:
            return norm(x) if self.norm_first else x

        def add(norm: nn.Module, what: Tensor) -> Tensor:
            stream = x + self.dropout(what)
            return stream if self.norm_first else norm(stream)

        seen = read(self.norm1)
        x = add(self.norm1, row_by_row(self.self_attention, seen, seen, mask))
        x = add(self.norm2, row_by_row(self.cross_attention, read(self.norm2), memory, memory_mask))
        return add(self.norm3, self.feed_forward(read(self.norm3)))


# %% correct: a recursion over the numbered parts

class DecoderLayer(nn.Module):
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        def part(number: int, read: Tensor) -> Tensor:
            if number == 3:
                return self.feed_forward(read)
            attention, source, allowed = (
                (self.self_attention, read, mask) if number == 1 else (self.cross_attention, memory, memory_mask)
            )
            return attention(read, source, source, allowed)[0]

        def stream_after(number: int) -> Tensor:
            if number == 0:
                return x
            stream, norm = stream_after(number - 1), self.get_submodule(f"norm{number}")
            if self.norm_first:
                return stream + self.dropout(part(number, norm(stream)))
            return norm(stream + self.dropout(part(number, stream)))

        return stream_after(3)
