# %% wrong: two norms exchanged
# norm2 goes with the feed-forward (as in the encoder layer) and norm3 with the cross-attention. As long as all norms are fresh nothing shows. A good message: "with norm2 and norm3 made different, the output is another: norm1, norm2, norm3 in the order of the parts".

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
            x = x + self.dropout(self.cross_attention(self.norm3(x), memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm3(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: the memory normed as well
# With norm_first the memory goes through norm2 too, though it is to be used as it was given. A good message: "twice the memory changes the output: it was normed away".

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
        def norm(layer, y):
            return layer(y) if self.norm_first else y

        def close(layer, y):
            return y if self.norm_first else layer(y)

        y = norm(self.norm1, x)
        x = close(self.norm1, x + self.dropout(self.self_attention(y, y, y, mask)[0]))
        m = norm(self.norm2, memory)
        x = close(self.norm2, x + self.dropout(self.cross_attention(norm(self.norm2, x), m, m, memory_mask)[0]))
        return close(self.norm3, x + self.dropout(self.feed_forward(norm(self.norm3, x))))

# %% wrong: the same mask across
# The cross-attention gets `mask` where no memory_mask is there (`memory_mask or mask`, written as an if): with None the memory is read causally, and where T differs from S it fails. A good message: "memory_mask=None means that all of the memory may be read".

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
        across = memory_mask if memory_mask is not None else mask
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, across)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, across)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: both attentions ask at once
# The cross-attention's queries come from the stream as it was BEFORE the self-attention added to it. A good message: "the second part must read what the first has written".

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
            own = self.self_attention(y, y, y, mask)[0]
            across = self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            x = x + self.dropout(own) + self.dropout(across)
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        own = self.self_attention(x, x, x, mask)[0]
        across = self.cross_attention(x, memory, memory, memory_mask)[0]
        x = self.norm1(x + self.dropout(own))
        x = self.norm2(x + self.dropout(across))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% correct: three parts in a list

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
        parts = [
            (self.norm1, lambda y: self.self_attention(y, y, y, mask)[0]),
            (self.norm2, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0]),
            (self.norm3, self.feed_forward),
        ]
        for norm, part in parts:
            x = x + self.dropout(part(norm(x))) if self.norm_first else norm(x + self.dropout(part(x)))
        return x

# %% correct: methods by name, recursion

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
        def go(stream: Tensor, number: int) -> Tensor:
            if number > 3:
                return stream
            norm = getattr(self, f"norm{number}")
            read = norm(stream) if self.norm_first else stream
            if number == 1:
                added, _ = self.self_attention(read, read, read, mask)
            elif number == 2:
                added, _ = self.cross_attention(read, memory, memory, memory_mask)
            else:
                added = self.feed_forward(read)
            stream = torch.add(stream, self.dropout(added))
            return go(stream if self.norm_first else norm(stream), number + 1)

        return go(x, 1)
