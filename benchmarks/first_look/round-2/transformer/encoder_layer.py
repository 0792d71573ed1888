# %% wrong: the stream is normed too
# With norm_first x itself is overwritten by norm1(x), so the sum gets the normed stream. A good message: "the stream must come through untouched where the parts add nothing".

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
            return x + self.dropout(self.feed_forward(x))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: the mask lost in one branch
# The pre-norm half forgets to hand the mask on; post-norm is right. A good message: "with norm_first=True a forbidden key changes the output".

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
            y, _ = self.self_attention(y, y, y)
            x = x + self.dropout(y)
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        y, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(y))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: dropout on the sum
# Dropout falls on x + part, so the stream itself loses numbers. In evaluation nothing shows. A good message: "with dropout 1 in training the stream should come through; it is zero".

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
            x = self.dropout(x + self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(self.dropout(x + self.feed_forward(x)))
        return x

# %% wrong: only queries are normed
# With norm_first the queries are normed, keys and values come from the bare stream, as if it were cross-attention. A good message: "the part reads norm(x): all three of query, key and value".

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
            x = x + self.dropout(self.self_attention(self.norm1(x), x, x, mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x

# %% correct: one helper with two switches

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
        before, after = (lambda norm, y: norm(y), lambda norm, y: y)[:: 1 if self.norm_first else -1]

        def around(stream: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
            return after(norm, stream + self.dropout(part(before(norm, stream))))

        x = around(x, self.norm1, lambda y: self.self_attention(y, y, y, mask)[0])
        return around(x, self.norm2, self.feed_forward)

# %% correct: a loop over parts, in place on an own sum

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
        def attend(y: Tensor) -> Tensor:
            output, _ = self.self_attention(query=y, key=y, value=y, mask=mask)
            return output

        for part, norm in zip((attend, self.feed_forward), (self.norm1, self.norm2)):
            total = x.clone()
            total += self.dropout(part(norm(x) if self.norm_first else x))
            x = total if self.norm_first else norm(total)
        return x
