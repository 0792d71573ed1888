# %% wrong: the memory normed as well
# With norm_first the memory goes through norm2 together with the stream. It should be used as it was given; its own tower
# has normed it.
# Hint: what does the docstring say of the memory? Multiply the memory by ten and look whether the output notices.

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
            normed, normed_memory = self.norm2(x), self.norm2(memory)
            x = x + self.dropout(self.cross_attention(normed, normed_memory, normed_memory, memory_mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
            return x
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: first the source, then the sentence itself
# Cross-attention runs before self-attention: all the parts are there, each with its norm and its mask, and the queries to
# the source know nothing yet of the other words.
# Hint: in which order does the docstring name the parts?

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
        def attend_self(y):
            return self.self_attention(y, y, y, mask)[0]

        def attend_memory(y):
            return self.cross_attention(y, memory, memory, memory_mask)[0]

        parts = ((self.norm2, attend_memory), (self.norm1, attend_self), (self.norm3, self.feed_forward))
        for norm, part in parts:
            if self.norm_first:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x


# %% wrong: memory_mask left out where the norm stands after
# In the second branch the cross-attention is called without its mask, and the words look at the source's padding. In the
# first branch it is right.
# Hint: compare your two branches line by line; which argument stands in one of them only?

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
            y = self.norm2(x)
            x = x + self.dropout(self.cross_attention(y, memory, memory, memory_mask)[0])
            y = self.norm3(x)
            x = x + self.dropout(self.feed_forward(y))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: the memory asks and the stream answers
# The roles are exchanged: the queries come from the memory, keys and values from the stream. What comes out has the
# source's length and cannot be added to the stream, unless the two happen to be equally long.
# Hint: who wants to know something here, the word being written or the source? That one gives the query.

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
            y = self.norm2(x)
            x = x + self.dropout(self.cross_attention(memory, y, y, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(memory, x, x, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: one attention for both
# The source is read with self_attention's maps, and cross_attention is never used: it gets no gradient, and a layer with
# trained weights gives other numbers.
# Hint: which of the layer's parameters have a gradient after one backward pass?

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
        attend = self.self_attention
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(attend(y, y, y, mask)[0])
            x = x + self.dropout(attend(self.norm2(x), memory, memory, memory_mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.dropout(attend(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(attend(x, memory, memory, memory_mask)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


# %% correct: a loop over three parts, each a function of what it reads

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
        parts = (
            (self.norm1, lambda read: self.self_attention(read, read, read, mask)[0]),
            (self.norm2, lambda read: self.cross_attention(read, memory, memory, memory_mask)[0]),
            (self.norm3, self.feed_forward),
        )
        for norm, part in parts:
            read = norm(x) if self.norm_first else x
            x = x + self.dropout(part(read))
            if not self.norm_first:
                x = norm(x)
        return x


# %% correct: two methods for the two placements

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
        walk = self._norm_before if self.norm_first else self._norm_after
        return walk(x, memory, {"mask": mask}, {"mask": memory_mask})

    def _norm_before(self, stream: Tensor, memory: Tensor, own: dict, other: dict) -> Tensor:
        read = self.norm1(stream)
        message, _ = self.self_attention(query=read, key=read, value=read, **own)
        stream = torch.add(stream, self.dropout(message))
        message, _ = self.cross_attention(query=self.norm2(stream), key=memory, value=memory, **other)
        stream = torch.add(stream, self.dropout(message))
        return torch.add(stream, self.dropout(self.feed_forward(self.norm3(stream))))

    def _norm_after(self, stream: Tensor, memory: Tensor, own: dict, other: dict) -> Tensor:
        message, _ = self.self_attention(query=stream, key=stream, value=stream, **own)
        stream = self.norm1(torch.add(stream, self.dropout(message)))
        message, _ = self.cross_attention(query=stream, key=memory, value=memory, **other)
        stream = self.norm2(torch.add(stream, self.dropout(message)))
        return self.norm3(torch.add(stream, self.dropout(self.feed_forward(stream))))
