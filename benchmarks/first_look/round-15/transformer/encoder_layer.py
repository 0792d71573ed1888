# %% wrong: the first norm serves both parts
# norm1 stands where norm2 should: untrained norms are all alike, so nothing shows until their weights differ. norm2 gets no gradient.

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
            normed = self.norm1(x)
            return x + self.dropout(self.feed_forward(normed))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm1(x + self.dropout(self.feed_forward(x)))

# %% wrong: with pre-norm only the query is normed
# Keys and values are made of the stream as it is, and only the query of norm1(x). Post-norm is right; with norm_first=True the output is wrong for every x that is
# not normed already.

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
            found, _ = self.self_attention(self.norm1(x), x, x, mask)
            x = x + self.dropout(found)
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
        else:
            found, _ = self.self_attention(x, x, x, mask)
            x = self.norm1(x + self.dropout(found))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x

# %% wrong: added into the caller's x
# With norm_first=True, += writes what attention adds into the tensor that was passed in: x is changed after the call (and where a gradient is needed,
# backward raises).

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
            x += self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x += self.dropout(self.feed_forward(self.norm2(x)))
            return x
        attended = self.self_attention(x, x, x, mask)[0]
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: dropout on the sum
# The stream itself is dropped, not only what a part adds. Without dropout and in evaluation nothing shows; in training numbers of x are set
# to zero as well.

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
            return self.dropout(x + self.feed_forward(self.norm2(x)))
        x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
        return self.norm2(self.dropout(x + self.feed_forward(x)))

# %% correct: a list of parts, and where each is normed

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

    def _attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        output, _ = self.self_attention(query=x, key=x, value=x, mask=mask)
        return output

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        same = nn.Identity()
        parts = [(self.norm1, lambda y: self._attend(y, mask)), (self.norm2, self.feed_forward)]
        for norm, part in parts:
            before, after = (norm, same) if self.norm_first else (same, norm)
            x = after(x + self.dropout(part(before(x))))
        return x

# %% correct: the stream as a list of strands, summed where it is read

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
        strands = [x]

        def read(norm: nn.Module, wanted: bool) -> Tensor:
            stream = sum(strands[1:], start=strands[0])
            return norm(stream) if wanted else stream

        seen = read(self.norm1, self.norm_first)
        strands.append(self.dropout(self.self_attention(seen, seen, seen, mask)[0]))
        if not self.norm_first:
            strands = [read(self.norm1, True)]
        strands.append(self.dropout(self.feed_forward(read(self.norm2, self.norm_first))))
        return read(self.norm2, not self.norm_first)
