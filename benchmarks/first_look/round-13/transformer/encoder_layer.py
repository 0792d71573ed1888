# %% wrong: the stream is overwritten by its norm
# With norm_first the normed x is what the part is added to, so the stream is normed at every part. Shows with
# norm_first=True for any x that is not normed already.

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

# %% wrong: only the query is normed
# With norm_first the keys and values are made from the stream as it is. Shows with norm_first=True, wherever x is
# not of mean 0 and variance 1.

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

# %% wrong: norm1 before both parts
# Copied line: with norm_first the network reads norm1(x), and norm2 is never used. Both norms begin alike, so it shows
# only once their weights differ (and norm2 gets no gradient).

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
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            y = self.norm1(x)
            x = x + self.dropout(self.feed_forward(y))
            return x
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x

# %% wrong: dropout on the sum
# The stream is dropped too, not only what a part adds. Shows in training with dropout above 0: numbers of x itself
# become zero with norm_first=True, and other numbers are normed with False.

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

# %% correct: a norm or nothing on either side of each part

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
        def unchanged(y: Tensor) -> Tensor:
            return y

        def attend(y: Tensor) -> Tensor:
            return self.self_attention(y, y, y, mask)[0]

        for norm, part in ((self.norm1, attend), (self.norm2, self.feed_forward)):
            before, after = (norm, unchanged) if self.norm_first else (unchanged, norm)
            x = after(x + self.dropout(part(before(x))))
        return x

# %% correct: the strands of the stream in a list

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
        for number in (1, 2):
            norm = getattr(self, f"norm{number}")
            stream = sum(strands[1:], start=strands[0])
            read = norm(stream) if self.norm_first else stream
            written = self.feed_forward(read) if number == 2 else self.self_attention(read, read, read, mask)[0]
            strands.append(self.dropout(written))
            if not self.norm_first:
                strands = [norm(sum(strands[1:], start=strands[0]))]
        return sum(strands[1:], start=strands[0])
