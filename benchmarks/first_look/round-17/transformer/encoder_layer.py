# %% wrong: adds into the stream in place
# With norm_first the += writes into the caller's x, which is changed afterwards (and a leaf that needs a gradient
# raises an error). Post-norm the first += writes into it too.

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

        normed = self.norm1(x) if self.norm_first else x
        x += self.dropout(self.self_attention(normed, normed, normed, mask)[0])
        if not self.norm_first:
            x = self.norm1(x)
        normed = self.norm2(x) if self.norm_first else x
        x = x + self.dropout(self.feed_forward(normed))
        return x if self.norm_first else self.norm2(x)


# %% wrong: post-norm norms the part, not the sum
# x + norm(part(x)) in the place of norm(x + part(x)): the stream itself is never normed. Shows with norm_first=False.

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
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = x + self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]))
        return x + self.norm2(self.dropout(self.feed_forward(x)))


# %% wrong: pre-norm with both parts side by side
# With norm_first the network reads the layer's input, not the stream after the attention has added to it.
# Shows with norm_first=True for any input.

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
            first, second = self.norm1(x), self.norm2(x)
            attended, _ = self.self_attention(first, first, first, mask)
            return x + self.dropout(attended) + self.dropout(self.feed_forward(second))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: functional dropout that does not know eval mode
# F.dropout(..., self.dropout.p) drops in evaluation too. Shows with dropout=0.5 after .eval(): two calls differ.

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

        def dropped(y: Tensor) -> Tensor:
            return F.dropout(y, self.dropout.p)

        if self.norm_first:
            y = self.norm1(x)
            x = x + dropped(self.self_attention(y, y, y, mask)[0])
            x = x + dropped(self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(x + dropped(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + dropped(self.feed_forward(x)))
        return x


# %% correct: a loop over the parts with an identity in one of two places

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
            output, _ = self.self_attention(y, y, y, mask)
            return output

        nothing = nn.Identity()
        for part, norm in ((attend, self.norm1), (self.feed_forward, self.norm2)):
            before, after = (norm, nothing) if self.norm_first else (nothing, norm)
            x = after(torch.add(x, self.dropout(part(before(x)))))
        return x


# %% correct: a method for one reading and adding, and one expression for each placement

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

    def add(self, x: Tensor, read: Tensor, part: Callable[[Tensor], Tensor]) -> Tensor:
        return torch.stack([x, self.dropout(part(read))]).sum(dim=0)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:

        attention = self.self_attention
        look = lambda y: attention(query=y, key=y, value=y, mask=mask)[0]  # noqa: E731
        if not self.norm_first:
            middle = self.norm1(self.add(x, x, look))
            return self.norm2(self.add(middle, middle, self.feed_forward))
        middle = self.add(x, self.norm1(x), look)
        return self.add(middle, self.norm2(middle), self.feed_forward)
