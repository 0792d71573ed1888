# %% wrong: the norm overwrites the stream
# With norm_first, x is replaced by norm(x) before the sum, so the stream itself is normed.
# Shows with norm_first=True for every x that is not normed already.

class EncoderLayer(nn.Module):
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
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.dropout(self.self_attention(x, x, x, mask)[0])
            x = self.norm2(x)
            x = x + self.dropout(self.feed_forward(x))
            return x
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: dropout falls on the sum
# The stream is dropped together with what the part adds. Shows in training with dropout > 0: places of
# the stream itself come out zero or enlarged.

class EncoderLayer(nn.Module):
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
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            y = self.norm1(x)
            x = self.dropout(x + self.self_attention(y, y, y, mask)[0])
            return self.dropout(x + self.feed_forward(self.norm2(x)))
        x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
        return self.norm2(self.dropout(x + self.feed_forward(x)))

# %% wrong: only the queries are normed
# With norm_first, keys and values are made from the bare stream: attention(norm1(x), x, x).
# Shows with norm_first=True for every x that is not normed already.

class EncoderLayer(nn.Module):
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
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            attended, _ = self.self_attention(self.norm1(x), x, x, mask)
            x = x + self.dropout(attended)
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
        else:
            attended, _ = self.self_attention(x, x, x, mask)
            x = self.norm1(x + self.dropout(attended))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x

# %% wrong: the pre-norm network reads the old stream
# With norm_first both parts read the x that came in: the feed-forward network does not see what the
# attention has written. Shows with norm_first=True for every x.

class EncoderLayer(nn.Module):
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
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            y = self.norm1(x)
            from_attention = self.dropout(self.self_attention(y, y, y, mask)[0])
            from_network = self.dropout(self.feed_forward(self.norm2(x)))
            return x + from_attention + from_network
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% correct: one rule for both placements

class EncoderLayer(nn.Module):
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
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def as_it_is(y: Tensor) -> Tensor:
            return y

        def attend(y: Tensor) -> Tensor:
            return self.self_attention(y, y, y, mask)[0]

        for norm, part in ((self.norm1, attend), (self.norm2, self.feed_forward)):
            before, after = (norm, as_it_is) if self.norm_first else (as_it_is, norm)
            x = after(torch.add(x, self.dropout(part(before(x)))))
        return x

# %% correct: one query at a time

class EncoderLayer(nn.Module):
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
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def attended(self, y: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, _ = y.shape
        if mask is None:
            mask = torch.ones(1, 1, 1, dtype=torch.bool, device=y.device)
        rows = mask.expand(batch, length, length).split(1, dim=1)
        queries = y.split(1, dim=1)
        return torch.cat([self.self_attention(q, y, y, row)[0] for q, row in zip(queries, rows, strict=True)], dim=1)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if not self.norm_first:
            middle = self.norm1(self.dropout(self.attended(x, mask)) + x)
            return self.norm2(self.dropout(self.feed_forward(middle)) + middle)
        written = self.dropout(self.attended(self.norm1(x), mask))
        return x + written + self.dropout(self.feed_forward(self.norm2(x + written)))
