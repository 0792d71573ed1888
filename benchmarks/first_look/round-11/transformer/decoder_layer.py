# %% wrong: the memory is normed as well
# With norm_first=True keys and values are norm2(memory); the memory was to be used as it was given. Any
# memory that is not normed already shows it.

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
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            y, m = self.norm2(x), self.norm2(memory)
            x = x + self.dropout(self.cross_attention(y, m, m, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: causal without being asked
# "A decoder writes", so without a mask it takes the causal one; mask=None was to mean that every position
# may be attended to. Shows for mask=None and two or more positions.

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

        def read(norm: nn.LayerNorm) -> Tensor:
            return norm(x) if self.norm_first else x

        def add(norm: nn.LayerNorm, what: Tensor) -> Tensor:
            total = x + self.dropout(what)
            return total if self.norm_first else norm(total)

        y = read(self.norm1)
        x = add(self.norm1, self.self_attention(y, y, y, mask)[0])
        x = add(self.norm2, self.cross_attention(read(self.norm2), memory, memory, memory_mask)[0])
        return add(self.norm3, self.feed_forward(read(self.norm3)))


# %% wrong: the query is what self-attention read
# With norm_first=True `normed` is made once and used twice, so the cross-attention asks with the stream as it
# was before self-attention added to it. Any input shows it.

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
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(normed), memory, memory, memory_mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: the encoder layer's norms, and the third for the new part
# norm2 stays with the feed-forward network, as in EncoderLayer, and norm3 goes to the cross-attention. New
# norms are all alike, so it shows only once their weights differ, as in a trained layer.

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
        for part, norm in (
            (lambda y: self.self_attention(y, y, y, mask)[0], self.norm1),
            (lambda y: self.cross_attention(y, memory, memory, memory_mask)[0], self.norm3),
            (self.feed_forward, self.norm2),
        ):
            if self.norm_first:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x


# %% correct: six stations in a row, each a function of the stream

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
        def parts():
            yield lambda y: self.self_attention(y, y, y, mask)[0]
            yield lambda y: self.cross_attention(y, memory, memory, memory_mask)[0]
            yield self.feed_forward

        for number, part in enumerate(parts(), start=1):
            norm = getattr(self, f"norm{number}")
            places = [norm, nn.Identity()] if self.norm_first else [nn.Identity(), norm]
            x = places[1](x + self.dropout(part(places[0](x))))
        return x


# %% correct: the parts pop off a stack

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
        def attend(attention: nn.Module, query: Tensor, where: Tensor | None, allowed: Tensor | None) -> Tensor:
            source = query if where is None else where
            return attention(query, source, source, allowed)[0]

        waiting = [
            (self.norm3, self.feed_forward, ()),
            (self.norm2, lambda *a: attend(self.cross_attention, *a), (memory, memory_mask)),
            (self.norm1, lambda *a: attend(self.self_attention, *a), (None, mask)),
        ]
        while waiting:
            norm, part, given = waiting.pop()
            stream = norm(x) if self.norm_first else x
            added = self.dropout(part(stream, *given))
            x = torch.stack((x, added)).sum(dim=0)
            x = x if self.norm_first else norm(x)
        return x
