# %% wrong: only the query is normed
# With norm_first the attention reads norm1(x) as its query and the raw x as key and value. Post-norm is right.

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
            read, _ = self.self_attention(self.norm1(x), x, x, mask)
            x = x + self.dropout(read)
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        read, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(read))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: dropout that never stops
# F.dropout is told the probability and not whether the layer is in training (its default is True): with dropout above 0 the layer drops numbers
# in evaluation mode too.

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
        else:
            x = self.norm1(x + F.dropout(self.self_attention(x, x, x, mask)[0], p))
            x = self.norm2(x + F.dropout(self.feed_forward(x), p))
        return x


# %% wrong: both parts read the same stream
# With norm_first the network reads norm2 of the x that came in, beside the attention and not after it: what attention wrote is in the sum, and the
# network does not see it.

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
            found = self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            thought = self.dropout(self.feed_forward(self.norm2(x)))
            return x + found + thought
        found = self.dropout(self.self_attention(x, x, x, mask)[0])
        x = self.norm1(x + found)
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: the stream is added to in place
# What comes back is right, but with norm_first x += writes into the caller's tensor (and raises an error where x is a leaf that wants a gradient).

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
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            return self.norm2(x + self.dropout(self.feed_forward(x)))
        normed = self.norm1(x)
        x += self.dropout(self.self_attention(normed, normed, normed, mask)[0])
        x += self.dropout(self.feed_forward(self.norm2(x)))
        return x


# %% correct: one loop, with a norm before or after that may be nothing

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

        def nothing(y: Tensor) -> Tensor:
            return y

        for norm, part in ((self.norm1, attend), (self.norm2, self.feed_forward)):
            before, after = (norm, nothing) if self.norm_first else (nothing, norm)
            x = after(torch.add(x, self.dropout(part(before(x)))))
        return x


# %% correct: the stream as a list of what was written

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

        def stream() -> Tensor:
            return torch.stack(strands).sum(dim=0)

        read = self.norm1(stream()) if self.norm_first else stream()
        strands.append(self.dropout(self.self_attention(read, read, read, mask)[0]))
        if not self.norm_first:
            strands = [self.norm1(stream())]  # everything written so far becomes one strand
        read = self.norm2(stream()) if self.norm_first else stream()
        strands.append(self.dropout(self.feed_forward(read)))
        return stream() if self.norm_first else self.norm2(stream())
