# %% wrong: the memory is normed too
# With pre-norm the cross-attention's keys and values come from norm2(memory), not from the memory as given.
# Shows with norm_first=True for any memory that is not normed already.

class DecoderLayer(nn.Module):
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
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            y, source = self.norm2(x), self.norm2(memory)
            x = x + self.dropout(self.cross_attention(y, source, source, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: causal in any case
# Where no mask is given the layer makes a causal one of its own, but mask is to be used as given.
# Shows with mask=None and two tokens or more.

class DecoderLayer(nn.Module):
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
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if mask is None:
            mask = causal_mask(x.shape[1]).to(x.device)

        def attend(y):
            return self.dropout(self.self_attention(y, y, y, mask)[0])

        def look(y):
            return self.dropout(self.cross_attention(y, memory, memory, memory_mask)[0])

        def think(y):
            return self.dropout(self.feed_forward(y))

        for part, norm in ((attend, self.norm1), (look, self.norm2), (think, self.norm3)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x

# %% wrong: the cross-attention asks from the old stream
# With pre-norm both attentions are asked from the layer's input, not from the stream after the first.
# Shows with norm_first=True for nearly every input.

class DecoderLayer(nn.Module):
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
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            y = self.norm1(x)
            own, _ = self.self_attention(y, y, y, mask)
            across, _ = self.cross_attention(self.norm2(x), memory, memory, memory_mask)
            x = x + self.dropout(own) + self.dropout(across)
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        own, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(own))
        across, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + self.dropout(across))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: no dropout across
# Taken over from the encoder layer, where two parts have dropout; the new third part was left without.
# Shows in training mode with dropout above 0 (with dropout=1 the memory still gets through).

class DecoderLayer(nn.Module):
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
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            x = x + self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x

# %% correct: a generator of strands

# A coroutine is sent the stream and yields what each part makes of it; the loop around it adds and norms.

class DecoderLayer(nn.Module):
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
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        def parts():
            stream = yield
            stream = yield self.self_attention(stream, stream, stream, mask)[0]
            stream = yield self.cross_attention(stream, memory, memory, memory_mask)[0]
            yield self.feed_forward(stream)

        made = parts()
        next(made)
        for norm in (self.norm1, self.norm2, self.norm3):
            if self.norm_first:
                x = x + self.dropout(made.send(norm(x)))
            else:
                x = norm(x + self.dropout(made.send(x)))
        return x

# %% correct: two separate passes

# Each placement has its own method, written out with keywords and torch.add.

class DecoderLayer(nn.Module):
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
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        run = self.pre if self.norm_first else self.post
        return run(x, memory, mask, memory_mask)

    def pre(self, x, memory, mask, memory_mask):
        n = self.norm1(x)
        heard, _ = self.self_attention(query=n, key=n, value=n, mask=mask)
        after_one = torch.add(x, self.dropout(heard))
        n = self.norm2(after_one)
        heard, _ = self.cross_attention(query=n, key=memory, value=memory, mask=memory_mask)
        after_two = torch.add(after_one, self.dropout(heard))
        return torch.add(after_two, self.dropout(self.feed_forward(self.norm3(after_two))))

    def post(self, x, memory, mask, memory_mask):
        heard, _ = self.self_attention(query=x, key=x, value=x, mask=mask)
        x = self.norm1(torch.add(self.dropout(heard), x))
        heard, _ = self.cross_attention(query=x, key=memory, value=memory, mask=memory_mask)
        x = self.norm2(torch.add(self.dropout(heard), x))
        return self.norm3(torch.add(self.dropout(self.feed_forward(x)), x))
