# %% wrong: the memory is normed too
# With norm_first=True keys and values of the cross-attention are made of norm2(memory). They come from the memory as it was given. Post-norm is right.

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
            normed, source = self.norm2(x), self.norm2(memory)
            x = x + self.dropout(self.cross_attention(normed, source, source, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: causal where no mask is given
# A decoder is causal, so a missing mask is replaced by a causal one. mask=None means that every position may be read: shows without a mask, for T above 1.

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
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            y = self.norm2(x)
            x = x + self.dropout(self.cross_attention(y, memory, memory, memory_mask)[0])
            y = self.norm3(x)
            return x + self.dropout(self.feed_forward(y))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: one attention does both
# Copied from the line above and not changed: the cross-attention goes through self_attention's four maps. The shapes are right, cross_attention gets no
# gradient, and the output is wrong for every input.

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
            normed = self.norm2(x)
            x = x + self.dropout(self.self_attention(normed, memory, memory, memory_mask)[0])
            normed = self.norm3(x)
            x = x + self.dropout(self.feed_forward(normed))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.self_attention(x, memory, memory, memory_mask)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x

# %% wrong: both attentions read the stream as it came in
# The cross-attention's queries are made before the self-attention has added to the stream, and the two are added together. Each part should read what the one before
# left: wrong for every input in pre-norm.

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
        if not self.norm_first:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
            return self.norm3(x + self.dropout(self.feed_forward(x)))
        of_self, of_source = self.norm1(x), self.norm2(x)
        own, _ = self.self_attention(of_self, of_self, of_self, mask)
        other, _ = self.cross_attention(of_source, memory, memory, memory_mask)
        x = x + self.dropout(own) + self.dropout(other)
        return x + self.dropout(self.feed_forward(self.norm3(x)))

# %% correct: one helper reads and adds

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
        def read_and_add(stream: Tensor, norm: nn.LayerNorm, part: Callable[[Tensor], Tensor]) -> Tensor:
            if self.norm_first:
                return torch.add(stream, self.dropout(part(norm(stream))))
            return norm(torch.add(stream, self.dropout(part(stream))))

        x = read_and_add(x, self.norm1, lambda seen: self.self_attention(seen, seen, seen, mask)[0])
        x = read_and_add(x, self.norm2, lambda seen: self.cross_attention(seen, memory, memory, memory_mask)[0])
        return read_and_add(x, self.norm3, self.feed_forward)

# %% correct: a loop over what is asked

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
        asked = {
            "self_attention": (None, mask),  # None: the stream itself
            "cross_attention": (memory, memory_mask),
        }
        norms = iter([self.norm1, self.norm2, self.norm3])
        for name in ("self_attention", "cross_attention", "feed_forward"):
            norm, part = next(norms), getattr(self, name)
            reading = norm(x) if self.norm_first else x
            if name in asked:
                answers, allowed = asked[name]
                answers = reading if answers is None else answers
                adds = part(reading, answers, answers, allowed)[0]
            else:
                adds = part(reading)
            x = x + self.dropout(adds)
            if not self.norm_first:
                x = norm(x)
        return x
