# %% wrong: the second part adds to the normed stream
# With norm_first=True the feed-forward's output is added to norm2(x), not to x, since x was overwritten. Shows for
# any x with norm_first=True.

class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it."""

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
            x = self.norm2(x)
            x = x + self.dropout(self.feed_forward(x))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: F.dropout that never stops
# F.dropout has training=True by default: with dropout above 0 the layer is random in evaluation mode as well.

class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it."""

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
            normed = self.norm1(x)
            x = x + F.dropout(self.self_attention(normed, normed, normed, mask)[0], p)
            return x + F.dropout(self.feed_forward(self.norm2(x)), p)
        x = self.norm1(x + F.dropout(self.self_attention(x, x, x, mask)[0], p))
        return self.norm2(x + F.dropout(self.feed_forward(x), p))


# %% wrong: added in place
# x += ... writes into the caller's tensor: with norm_first=True the argument is changed after the call (and a leaf
# that needs a gradient raises an error); with norm_first=False too.

class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it."""

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
            attended, _ = self.self_attention(normed, normed, normed, mask)
            x += self.dropout(attended)
            x += self.dropout(self.feed_forward(self.norm2(x)))
            return x
        attended, _ = self.self_attention(x, x, x, mask)
        x += self.dropout(attended)
        x = self.norm1(x)
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: only the query is normed
# With norm_first=True keys and values are x itself instead of norm1(x). Shows for any x with norm_first=True that is
# not normed already.

class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it."""

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
            return x
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


# %% correct: a loop over the two parts, each norm before or after
class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it."""

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
            return self.self_attention(y, y, y, mask)[0]

        def same(y: Tensor) -> Tensor:
            return y

        for norm, part in ((self.norm1, attend), (self.norm2, self.feed_forward)):
            before, after = (norm, same) if self.norm_first else (same, norm)
            x = after(torch.add(x, self.dropout(part(before(x)))))
        return x


# %% correct: the strands of the stream in a list, and their sum
class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it."""

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
        strands = [x]
        read = self.norm1(x) if self.norm_first else x
        strands.append(self.dropout(self.self_attention(query=read, key=read, value=read, mask=mask)[0]))
        if not self.norm_first:
            strands = [self.norm1(torch.stack(strands).sum(dim=0))]
        stream = torch.stack(strands).sum(dim=0)
        strands.append(self.dropout(self.feed_forward(self.norm2(stream) if self.norm_first else stream)))
        stream = torch.stack(strands).sum(dim=0)
        return stream if self.norm_first else self.norm2(stream)
