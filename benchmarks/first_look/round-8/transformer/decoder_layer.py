# %% wrong: the memory is normed too
# With norm_first, norm2 is put on keys and values as well; the memory is to be used as it was given.
# Shows with norm_first=True for a memory that is not normed already.

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

# %% wrong: the stream's mask is lost and a causal one made
# The self-attention is always causal and the caller's mask is not looked at. Shows with mask=None and
# T > 1 (all should see all), and with a mask that blocks more or other than the future.

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
        T = x.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, causal)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, causal)[0]))
            x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x

# %% wrong: the queries come from the bare stream
# With norm_first the cross-attention's query is x and not norm2(x), which is then never used. Shows with
# norm_first=True for S > 1; norm2 gets no gradient.

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
            x = x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: no dropout on the cross-attention
# The two lines taken over from the encoder layer have dropout, the new one between them has none. Shows
# in training with dropout > 0, clearest with a dropout near 1.

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
            x = x + self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
            return x
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% correct: a table of parts

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
        parts = {
            "norm1": lambda y: self.self_attention(y, y, y, mask)[0],
            "norm2": lambda y: self.cross_attention(y, memory, memory, memory_mask)[0],
            "norm3": self.feed_forward,
        }
        stream = x
        for name, part in parts.items():
            norm = getattr(self, name)
            reads = norm(stream) if self.norm_first else stream
            stream = stream + self.dropout(part(reads))
            if not self.norm_first:
                stream = norm(stream)
        return stream

# %% correct: a recursion, and the memory read backwards

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
        # attention does not care in which order its keys stand, so long as the mask goes with them
        length, backwards = x.shape[1], memory.flip(1)
        across = memory_mask
        if across is not None:
            across = across.expand(x.shape[0], length, memory.shape[1]).flip(2)

        def adds(number: int, y: Tensor) -> Tensor:
            if number == 1:
                found, _ = self.self_attention(y, y, y, mask)
            elif number == 2:
                found, _ = self.cross_attention(y, backwards, backwards, across)
            else:
                found = self.feed_forward(y)
            return self.dropout(found)

        def after(number: int) -> Tensor:
            if number == 0:
                return x
            before, norm = after(number - 1), (self.norm1, self.norm2, self.norm3)[number - 1]
            if self.norm_first:
                return before + adds(number, norm(before))
            return norm(before + adds(number, before))

        return after(3)
