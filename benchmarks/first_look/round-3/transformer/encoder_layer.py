# %% wrong: the stream overwritten by its norm
# In the pre-norm half x itself is normed before the part reads it, so the sum is norm(x) + part(norm(x)) and the stream is lost.
# Hint: which of the two x in x + part(norm(x)) has no norm around it?

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
            attended, _ = self.self_attention(x, x, x, mask)
            x = x + self.dropout(attended)
            x = self.norm2(x)
            return x + self.dropout(self.feed_forward(x))
        attended, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: no mask with the norm first
# The mask is handed on in the post-norm half and forgotten in the other: with norm_first=True every token sees every token.
# Hint: with a causal mask and norm_first=True, does an early output move when the last token changes?

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
            x = x + self.dropout(self.self_attention(normed, normed, normed)[0])
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


# %% wrong: dropout on the sum
# Dropout falls on the stream plus what the part adds; it is meant for what is added alone, and the stream is never dropped.
# Hint: with dropout 0.9 in training, how many numbers of x survive one layer of yours?

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


# %% wrong: one norm for both
# norm1 serves the attention and the network too; fresh norms are alike, so it looks right until norm1 and norm2 have been trained.
# Hint: set norm2.weight to twos; what changes?

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
        for part in (lambda y: self.self_attention(y, y, y, mask)[0], self.feed_forward):
            if self.norm_first:
                x = x + self.dropout(part(self.norm1(x)))
            else:
                x = self.norm1(x + self.dropout(part(x)))
        return x


# %% correct: one way to read and add

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
        found, _ = self.self_attention(query=x, key=x, value=x, mask=mask)
        return found

    def read_and_add(self, stream: Tensor, part: Callable[[Tensor], Tensor], norm: nn.Module) -> Tensor:
        before, after = (norm, nn.Identity()) if self.norm_first else (nn.Identity(), norm)
        return after(stream + self.dropout(part(before(stream))))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.read_and_add(x, lambda y: self.attend(y, mask), self.norm1)
        return self.read_and_add(x, self.feed_forward, self.norm2)


# %% correct: functional dropout, the norms chosen at each place

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
        first = self.norm_first
        read = self.norm1(x) if first else x
        added = self.self_attention(read, read, read, mask)[0]
        x = torch.add(x, F.dropout(added, p=self.dropout.p, training=self.training))
        x = x if first else self.norm1(x)
        read = self.norm2(x) if first else x
        added = self.feed_forward(read)
        x = torch.add(x, F.dropout(added, p=self.dropout.p, training=self.training))
        return x if first else self.norm2(x)
