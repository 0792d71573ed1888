# %% wrong: the stream is overwritten by its norm
# With norm_first the sum starts from norm(x) and not from x: the stream itself is normed.
# Shows with norm_first=True for any x whose tokens do not have mean 0 and variance 1.

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


# %% wrong: norm1 at both places, copied
# The lines of the second half were copied from the first, and norm1 stayed in the one for the norm behind.
# Shows with norm_first=False as soon as the weights of norm1 and norm2 differ; at the start they are equal.

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
            normed = self.norm2(x)
            return x + self.dropout(self.feed_forward(normed))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm1(x + self.dropout(self.feed_forward(x)))


# %% wrong: dropout on the sum
# Drops from the stream with what was added to it; it should fall on what each part adds and on nothing else.
# Shows in training with dropout above 0: with norm_first=True even the stream's own numbers are zeroed.

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
            read = self.norm1(x)
            x = self.dropout(x + self.self_attention(read, read, read, mask)[0])
            x = self.dropout(x + self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(self.dropout(x + self.feed_forward(x)))
        return x


# %% wrong: added into the caller's tensor
# "The part adds to the stream", with +=: the tensor that was handed in is changed, and backward fails.
# Shows with norm_first=True: x is another one after the call.

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


# %% correct: a reader and a writer around each part

def unchanged(stream: Tensor) -> Tensor:
    return stream


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
        parts = {
            self.norm1: lambda read: self.self_attention(read, read, read, mask)[0],
            self.norm2: self.feed_forward,
        }
        for norm, part in parts.items():
            before, after = (norm, unchanged) if self.norm_first else (unchanged, norm)
            x = after(torch.add(x, self.dropout(part(before(x)))))
        return x


# %% correct: the stream as a list of what was written

def total(written: list[Tensor]) -> Tensor:
    return torch.stack(written).sum(dim=0)


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

        def read(norm: nn.Module) -> Tensor:
            return norm(total(written)) if self.norm_first else total(written)

        def write(addition: Tensor, norm: nn.Module) -> None:
            written.append(self.dropout(addition))
            if not self.norm_first:
                written[:] = [norm(total(written))]

        seen = read(self.norm1)
        write(self.self_attention(seen, seen, seen, mask)[0], self.norm1)
        write(self.feed_forward(read(self.norm2)), self.norm2)
        return total(written)
