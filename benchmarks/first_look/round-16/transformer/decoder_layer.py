# %% wrong: causal where no mask is given
# A decoder is causal, so mask=None gets the causal mask. It shows with mask=None and T above one:
# the docstring leaves it to the caller.

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
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            y = self.norm2(x)
            x = x + self.dropout(self.cross_attention(y, memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: the second and third norm exchanged
# As in the encoder layer norm2 belongs to the network, and the new part gets the new norm3. All
# norms begin alike, so it shows only once their weights differ.

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
            y = self.norm3(x)
            x = x + self.dropout(self.cross_attention(y, memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm3(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% wrong: the memory is detached
# "As it was given" is taken to mean that the memory is fixed: no gradient reaches it, so an encoder
# never learns. It shows in memory.grad for any input.

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
        memory = memory.detach()  # the encoder is done with it

        def add(x: Tensor, norm: nn.LayerNorm, part: Callable[[Tensor], Tensor]) -> Tensor:
            if self.norm_first:
                return x + self.dropout(part(norm(x)))
            return norm(x + self.dropout(part(x)))

        x = add(x, self.norm1, lambda y: self.self_attention(y, y, y, mask)[0])
        x = add(x, self.norm2, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0])
        return add(x, self.norm3, self.feed_forward)


# %% wrong: one addition for both attentions
# The cross-attention's queries are the self-attention's output alone; only then is the input
# added, for both at once. It shows for any x, with the norm before or after.

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
            own = self.dropout(self.self_attention(y, y, y, mask)[0])
            found = self.cross_attention(self.norm2(own), memory, memory, memory_mask)[0]
            x = x + self.dropout(found)
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        own = self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]))
        found = self.cross_attention(own, memory, memory, memory_mask)[0]
        x = self.norm2(x + self.dropout(found))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% correct: three steps of one loop

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
        parts = (
            lambda y: self.self_attention(y, y, y, mask)[0],
            lambda y: self.cross_attention(y, memory, memory, memory_mask)[0],
            self.feed_forward,
        )
        norms = (self.norm1, self.norm2, self.norm3)
        for i in range(3):
            read = norms[i](x) if self.norm_first else x
            x = x + self.dropout(parts[i](read))
            x = x if self.norm_first else norms[i](x)
        return x


# %% correct: a generator that is sent what it should read

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
            read = yield None
            read = yield self.self_attention(query=read, key=read, value=read, mask=mask)[0]
            read = yield self.cross_attention(
                query=read, key=memory, value=memory, mask=memory_mask
            )[0]
            yield self.feed_forward(read)

        running = parts()
        next(running)
        for name in ("norm1", "norm2", "norm3"):
            norm = getattr(self, name)
            if self.norm_first:
                x = self.dropout(running.send(norm(x))).add(x)
            else:
                x = norm(self.dropout(running.send(x)).add(x))
        return x
