# %% wrong: both parts read the same stream
# With norm_first the feed-forward network reads the layer's input and not the stream that the attention has added to.

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
            attended = self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            transformed = self.dropout(self.feed_forward(self.norm2(x)))
            return x + attended + transformed
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: only the queries are normed
# With norm_first keys and values are made from the bare stream; self-attention is to read norm1(x) in all three places.

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


# %% wrong: the functional dropout is never switched off
# F.dropout has training=True as its default, so that numbers are dropped in evaluation, too.

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
        p = self.dropout.p
        if self.norm_first:
            y = self.norm1(x)
            x = x + F.dropout(self.self_attention(y, y, y, mask)[0], p)
            x = x + F.dropout(self.feed_forward(self.norm2(x)), p)
            return x
        x = self.norm1(x + F.dropout(self.self_attention(x, x, x, mask)[0], p))
        x = self.norm2(x + F.dropout(self.feed_forward(x), p))
        return x


# %% wrong: added in place
# x += writes into the caller's tensor, which the norm and the projections have kept for the backward pass: training
# stops with an error, and the caller's x is changed.

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
            x += self.dropout(self.self_attention(y, y, y, mask)[0])
            x += self.dropout(self.feed_forward(self.norm2(x)))
        else:
            x += self.dropout(self.self_attention(x, x, x, mask)[0])
            x = self.norm1(x)
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: norm_first norms what a part gives
# The norm is put round the part's output, x + norm(part(x)), where the part should read norm(x).

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
        attended = self.self_attention(x, x, x, mask)[0]
        if self.norm_first:
            x = x + self.dropout(self.norm1(attended))
        else:
            x = self.norm1(x + self.dropout(attended))
        transformed = self.feed_forward(x)
        if self.norm_first:
            x = x + self.dropout(self.norm2(transformed))
        else:
            x = self.norm2(x + self.dropout(transformed))
        return x


# %% correct: a loop over pairs of norm and part

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
        def attend(y):
            return self.self_attention(y, y, y, mask)[0]

        for norm, part in ((self.norm1, attend), (self.norm2, self.feed_forward)):
            read = norm(x) if self.norm_first else x
            x = torch.add(x, self.dropout(part(read)))
            if not self.norm_first:
                x = norm(x)
        return x


# %% correct: identities stand where no norm is wanted

def leave(x):
    return x


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

    def _read_and_add(self, stream, part, before, after):
        message = part(before(stream))
        return after(self.dropout(message) + stream)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        first, second = (self.norm1, leave), (self.norm2, leave)
        if not self.norm_first:
            first, second = first[::-1], second[::-1]
        stream = self._read_and_add(x, lambda y: self.self_attention(y, y, y, mask)[0], *first)
        return self._read_and_add(stream, lambda y: self.feed_forward(y), *second)
