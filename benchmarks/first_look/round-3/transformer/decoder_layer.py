# %% wrong: the two masks are swapped
# The source's padding mask goes to the self-attention and the causal mask to the cross-attention.
# Breaks what the docstring says of mask and memory_mask; with T different from S it does not even fit.
# Hint: whose keys does each mask speak of?

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

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
            x = x + self.dropout(self.self_attention(normed, normed, normed, memory_mask)[0])
            normed = self.norm2(x)
            x = x + self.dropout(self.cross_attention(normed, memory, memory, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, memory_mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: the stream is overwritten by its norm
# With norm_first x itself is normed, and the part's output is added to the normed x.
# Breaks x = x + part(norm(x)): the bare stream is lost. Hint: which x gets the sum?

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

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
            x = self.norm1(x)
            x = x + self.dropout(self.self_attention(x, x, x, mask)[0])
            x = self.norm2(x)
            x = x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
            x = self.norm3(x)
            return x + self.dropout(self.feed_forward(x))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: the memory is normed as well
# With norm_first the memory goes through norm2, as the queries do.
# Breaks "keys and values come from the memory as it was given"; it shows only where the memory is not of mean 0 and variance 1.
# Hint: who has normed the memory already?

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

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
            normed = self.norm2(x)
            memory = self.norm2(memory)
            x = x + self.dropout(self.cross_attention(normed, memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: dropout on the sum
# Dropout falls on the sum, so numbers of the stream itself are set to zero in training.
# Breaks "dropout is applied to what each part adds"; in eval mode nothing shows. Hint: with p = 1 in training, what should come out of the pre-norm layer?

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

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
            x = self.dropout(x + self.self_attention(normed, normed, normed, mask)[0])
            normed = self.norm2(x)
            x = self.dropout(x + self.cross_attention(normed, memory, memory, memory_mask)[0])
            return self.dropout(x + self.feed_forward(self.norm3(x)))
        x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(self.dropout(x + self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(self.dropout(x + self.feed_forward(x)))


# %% correct: a loop over norms and parts

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

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
            lambda query: self.self_attention(query, query, query, mask=mask)[0],
            lambda query: self.cross_attention(query=query, key=memory, value=memory, mask=memory_mask)[0],
            self.feed_forward,
        )
        for norm, part in zip((self.norm1, self.norm2, self.norm3), parts, strict=True):
            read = norm(x) if self.norm_first else x
            x = torch.add(x, self.dropout(part(read)))
            if not self.norm_first:
                x = norm(x)
        return x


# %% correct: helper methods for the two placements

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

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
        around = self._before if self.norm_first else self._after
        x = around(x, self.norm1, lambda s: self.self_attention(s, s, s, mask)[0])
        x = around(x, self.norm2, lambda s: self.cross_attention(s, memory, memory, memory_mask)[0])
        return around(x, self.norm3, self.feed_forward)

    def _added(self, message: Tensor) -> Tensor:
        return F.dropout(message, p=self.dropout.p, training=self.training)

    def _before(self, stream: Tensor, norm: nn.LayerNorm, part) -> Tensor:
        return stream + self._added(part(norm(stream)))

    def _after(self, stream: Tensor, norm: nn.LayerNorm, part) -> Tensor:
        return norm(stream + self._added(part(stream)))
