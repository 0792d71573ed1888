# %% wrong: the stream overwritten by its norm
# With norm_first the normed x is kept as x, and the sum is built on it: the stream itself is normed in every layer.
# Hint: say it aloud: the part reads norm(x), and what gets the sum? Give the normed x another name.

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
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: only the queries are normed
# With norm_first the queries are made from the normed stream, keys and values from the bare one.
# Hint: "attention(norm1(x))" is self-attention: how many different tensors go into it?

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
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        attended, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: dropout on the sum
# In training the sum of stream and part is dropped, so that numbers of the stream itself go to zero. In evaluation, and
# with dropout 0, it is right.
# Hint: "dropout is applied to what each part adds". Set both parts to zero, train, and look whether x goes through.

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
            x = self.dropout(x + self.self_attention(normed, normed, normed, mask)[0])
            x = self.dropout(x + self.feed_forward(self.norm2(x)))
            return x
        x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(self.dropout(x + self.feed_forward(x)))
        return x


# %% wrong: with the norm after, the part is normed and not the sum
# x + norm(part(x)) is neither of the two placements: nothing brings the sum back to its size.
# Hint: what is the mean and the variance of each token that leaves a layer with the norm after?

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
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
        else:
            x = x + self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = x + self.norm2(self.dropout(self.feed_forward(x)))
        return x


# %% wrong: both parts read the layer's input
# With norm_first the network reads the stream as it was before the attention, so that it does not see what this layer has
# fetched. (Some models are built so; this one is not.)
# Hint: which x stands in the second line of the docstring's two, the old one or the new one?

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
            return x + attended + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% correct: one method that reads and adds

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
        x = self._read_and_add(x, self.norm1, lambda read: self.self_attention(read, read, read, mask)[0])
        return self._read_and_add(x, self.norm2, self.feed_forward)

    def _read_and_add(self, stream: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return stream + self.dropout(part(norm(stream)))
        return norm(stream + self.dropout(part(stream)))


# %% correct: a norm in front and a norm behind, one of which does nothing

def same(x: Tensor) -> Tensor:
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

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        output, _ = self.self_attention(x, x, x, mask=mask)
        return output

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        norms = (self.norm1, self.norm2)
        before, after = (norms, (same, same)) if self.norm_first else ((same, same), norms)
        added = self.dropout(self.attend(before[0](x), mask))
        x = after[0](added + x)
        added = self.dropout(self.feed_forward(before[1](x)))
        return after[1](added + x)
