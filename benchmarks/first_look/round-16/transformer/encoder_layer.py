# %% wrong: added in place
# x += changes the caller's tensor with norm_first=True (the stream before the layer is gone), and
# raises for an x that is a leaf with requires_grad.

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
        attended, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: the norm of section 6.1
# F.layer_norm(x, (d,)) as in the cell `spreads`: without the learned weight and bias, and with eps
# 1e-5 whatever was asked for. It shows once norm1.weight is not all ones, or with another eps.

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
        width = (x.shape[-1],)
        if self.norm_first:
            normed = F.layer_norm(x, width)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(F.layer_norm(x, width)))
        x = F.layer_norm(x + self.dropout(self.self_attention(x, x, x, mask)[0]), width)
        return F.layer_norm(x + self.dropout(self.feed_forward(x)), width)


# %% wrong: both parts read the same stream
# With norm_first=True the network reads norm2 of the stream as it came in, not of what attention
# has added to. It shows for any x with norm_first=True.

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
            from_attention = self.self_attention(first, first, first, mask)[0]
            from_network = self.feed_forward(second)
            return x + self.dropout(from_attention) + self.dropout(from_network)
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: a residual around the first norm
# With norm_first=False the network reads the normed sum, but its output is added to the sum before
# the norm. It shows for any x with norm_first=False.

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
            stream = x + self.dropout(self.self_attention(x, x, x, mask)[0])
            read = self.norm1(stream)
            stream = stream + self.dropout(self.feed_forward(read))
            return self.norm2(stream)
        normed = self.norm1(x)
        x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
        return x + self.dropout(self.feed_forward(self.norm2(x)))


# %% correct: a table of parts, and two norms of which one is the identity

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

        def attend(y: Tensor) -> Tensor:
            return self.self_attention(y, y, y, mask)[0]

        for part, norm in ((attend, self.norm1), (self.feed_forward, self.norm2)):
            before, after = (norm, same) if self.norm_first else (same, norm)
            x = after(torch.add(x, self.dropout(part(before(x)))))
        return x


# %% correct: what is added is computed first, and the sum taken by a stack

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

    def _added(self, number: int, read: Tensor, mask: Tensor | None) -> Tensor:
        if number == 2:
            return self.dropout(self.feed_forward(read))
        output, _ = self.self_attention(query=read, key=read, value=read, mask=mask)
        return self.dropout(output)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        strands = [x]
        for number in (1, 2):
            norm = getattr(self, f"norm{number}")
            stream = torch.stack(strands).sum(dim=0)
            if self.norm_first:
                strands.append(self._added(number, norm(stream), mask))
            else:
                strands = [norm(stream + self._added(number, stream, mask))]
        return torch.stack(strands).sum(dim=0)
