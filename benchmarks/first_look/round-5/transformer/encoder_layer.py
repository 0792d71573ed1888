# %% wrong: dropout falls on the sum
# In both placements the dropout is applied to x + part, so that the stream itself is dropped in training.

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
            h = self.norm1(x)
            x = self.dropout(x + self.self_attention(h, h, h, mask)[0])
            x = self.dropout(x + self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(self.dropout(x + self.feed_forward(x)))
        return x


# %% wrong: only the queries are normed
# With the norm first, keys and values are made from the bare stream.

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
        if not self.norm_first:
            attended, _ = self.self_attention(x, x, x, mask)
            x = self.norm1(x + self.dropout(attended))
            return self.norm2(x + self.dropout(self.feed_forward(x)))
        attended, _ = self.self_attention(self.norm1(x), x, x, mask)
        x = x + self.dropout(attended)
        return x + self.dropout(self.feed_forward(self.norm2(x)))


# %% wrong: norm1 serves both parts
# Copied and pasted: norm2 is never used where the norm comes after. Untrained norms are alike, so nothing shows at first.

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
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            normed = self.norm2(x)
            x = x + self.dropout(self.feed_forward(normed))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm1(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: the stream is added to in place
# x += writes into the tensor of the caller, whose input is another after the call (norm first).

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
            h = self.norm1(x)
            x += self.dropout(self.self_attention(h, h, h, mask)[0])
            x += self.dropout(self.feed_forward(self.norm2(x)))
            return x
        h = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(h + self.dropout(self.feed_forward(h)))


# %% wrong: the two parts side by side
# With the norm first, the feed-forward reads the stream from before the attention, as some later models do.

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
            q = self.norm1(x)
            a = self.self_attention(q, q, q, mask)[0]
            f = self.feed_forward(self.norm2(x))
            return x + self.dropout(a) + self.dropout(f)
        a = self.self_attention(x, x, x, mask)[0]
        y = self.norm1(x + self.dropout(a))
        f = self.feed_forward(y)
        return self.norm2(y + self.dropout(f))


# %% correct: a helper that reads and adds

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

    def _read_and_add(self, stream: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return stream + self.dropout(part(norm(stream)))
        return norm(stream + self.dropout(part(stream)))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(read: Tensor) -> Tensor:
            return self.self_attention(read, read, read, mask)[0]

        return self._read_and_add(self._read_and_add(x, self.norm1, attend), self.norm2, self.feed_forward)


# %% correct: one loop for both placements

def untouched(stream: Tensor) -> Tensor:
    return stream


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
        for norm, attends in ((self.norm1, True), (self.norm2, False)):
            before, after = (norm, untouched) if self.norm_first else (untouched, norm)
            read = before(x)
            if attends:
                written, _weights = self.self_attention(read, read, read, mask)
            else:
                written = self.feed_forward(read)
            x = after(torch.add(self.dropout(written), x))
        return x
