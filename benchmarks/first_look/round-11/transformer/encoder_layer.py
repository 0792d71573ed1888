# %% wrong: post-norm norms what is added, not the sum
# x + norm(part(x)) instead of norm(x + part(x)); any input with norm_first=False shows it.

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


# %% wrong: adds to the caller's tensor
# += writes into the x that was passed in: afterwards the caller's x is another one, and where x is a leaf
# that requires a gradient it raises. Both show with norm_first=True, and with False as well.

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
        attended, _ = self.self_attention(normed, normed, normed, mask)
        x += self.dropout(attended)
        if not self.norm_first:
            x = self.norm1(x)
        normed = self.norm2(x) if self.norm_first else x
        x = x + self.dropout(self.feed_forward(normed))
        return x if self.norm_first else self.norm2(x)


# %% wrong: only the query is normed
# With norm_first=True keys and values come from the stream as it is; all three were to be norm(x). Any x
# that is not normed already shows it.

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


# %% wrong: dropout that evaluation does not switch off
# F.dropout drops unless it is told training=False, so EncoderLayer(..., dropout=0.5).eval() still drops and
# gives another result at each call.

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
            normed = self.norm1(x)
            x = x + F.dropout(self.self_attention(normed, normed, normed, mask)[0], p)
            x = x + F.dropout(self.feed_forward(self.norm2(x)), p)
        else:
            x = self.norm1(x + F.dropout(self.self_attention(x, x, x, mask)[0], p))
            x = self.norm2(x + F.dropout(self.feed_forward(x), p))
        return x


# %% correct: the stream as a list of strands

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
        for norm, part in (
            (self.norm1, lambda y: self.self_attention(y, y, y, mask)[0]),
            (self.norm2, self.feed_forward),
        ):
            stream = torch.stack(strands).sum(dim=0)
            strands.append(self.dropout(part(norm(stream) if self.norm_first else stream)))
            if not self.norm_first:
                strands = [norm(stream + strands[-1])]
        return torch.stack(strands).sum(dim=0)


# %% correct: functions that wrap a part, composed

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

        def before(part: Callable, norm: nn.Module) -> Callable:
            return lambda y: torch.add(y, self.dropout(part(norm(y))))

        def after(part: Callable, norm: nn.Module) -> Callable:
            return lambda y: norm(torch.add(y, self.dropout(part(y))))

        wrap = before if self.norm_first else after
        return wrap(self.feed_forward, self.norm2)(wrap(attend, self.norm1)(x))
