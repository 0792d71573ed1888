# %% wrong: only the queries are normed
# With norm_first keys and values are made of the bare stream; the docstring has attention(norm1(x)), all three of it.
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
            x = x + self.dropout(self.self_attention(self.norm1(x), x, x, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: norm1 behind both sums
# With the norm behind, the second sum goes through norm1 again; norm2 is never used and never learns.
# Shows with norm_first=False once the two norms have different weights or biases, and not in a fresh layer.

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
            return self.dropout(self.self_attention(y, y, y, mask)[0])

        def think(y):
            return self.dropout(self.feed_forward(y))

        if self.norm_first:
            x = x + attend(self.norm1(x))
            x = x + think(self.norm2(x))
        else:
            x = self.norm1(x + attend(x))
            x = self.norm1(x + think(x))
        return x


# %% wrong: a mask of two axes is one of padding
# Makes (B, T) into (B, 1, T) where mask has two axes; but it is to be broadcast to (B, T, T), and so (T, T) is the same for all sentences.
# Shows for causal_mask(T): an error for B other than 1 and T; for B = T each sentence gets one row of it; for B = 1 B becomes T.

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
        if mask is not None and mask.ndim == 2:
            mask = mask.unsqueeze(1)
        if self.norm_first:
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
            return x
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: drops in evaluation too
# F.dropout drops whatever the mode unless it is told: 'in evaluation it does nothing'. Shows after .eval() with dropout > 0:
# another result at every call.

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
        rate = self.dropout.p
        attended = self.norm1(x) if self.norm_first else x
        x = x + F.dropout(self.self_attention(attended, attended, attended, mask)[0], rate)
        if not self.norm_first:
            x = self.norm1(x)
        x = x + F.dropout(self.feed_forward(self.norm2(x) if self.norm_first else x), rate)
        return x if self.norm_first else self.norm2(x)


# %% correct: a norm on one side, the identity on the other

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
        def same(y: Tensor) -> Tensor:
            return y

        parts = (
            (self.norm1, lambda y: self.self_attention(y, y, y, mask)[0]),
            (self.norm2, lambda y: self.feed_forward(y)),
        )
        for norm, part in parts:
            before, behind = (norm, same) if self.norm_first else (same, norm)
            x = behind(x + self.dropout(part(before(x))))
        return x


# %% correct: what each part adds, kept in a list
# The stream is the sum of all that was added to it; behind a norm the list begins anew.
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
        written = [x]
        for k in (1, 2):
            stream = torch.stack(written).sum(dim=0)
            norm = self.norm1 if k == 1 else self.norm2
            read = norm(stream) if self.norm_first else stream
            if k == 1:
                added, _ = self.self_attention(read, read.clone(), read.clone(), mask)
            else:
                added = torch.stack([self.feed_forward(token) for token in read.unbind(dim=1)], dim=1)
            written.append(self.dropout(added))
            if not self.norm_first:
                written = [norm(stream + written[-1])]
        return torch.stack(written).sum(dim=0)
