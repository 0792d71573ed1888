# %% wrong: the memory is normed too
# With norm_first the cross-attention's keys and values are made from norm2(memory), not from the memory as given. Shows
# with norm_first=True wherever the memory is not of mean 0 and variance 1 at each place, or norm2 is trained.

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
            y, m = self.norm2(x), self.norm2(memory)
            x = x + self.dropout(self.cross_attention(y, m, m, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: always causal
# A decoder writes, so the layer adds a causal mask of its own. The docstring leaves that to the caller: with mask=None, or a
# mask that is not causal, early positions should see later ones.

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
        T = x.shape[1]
        causal = causal_mask(T).to(x.device)
        mask = causal if mask is None else mask & causal
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            x = x + self.dropout(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
            x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
            x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x

# %% wrong: the norms of two parts exchanged
# Taken over from EncoderLayer, where norm2 is the network's: here norm3 goes with the cross-attention and norm2 with the
# network. All norms begin alike, so it shows once their weights differ.

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
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm3(x), memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm3(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: F.dropout, which never stops
# F.dropout drops unless told training=False, so the layer also drops in evaluation. Shows after eval() with dropout
# above 0: two calls differ.

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
        p = self.dropout.p
        if self.norm_first:
            y = self.norm1(x)
            x = x + F.dropout(self.self_attention(y, y, y, mask)[0], p)
            x = x + F.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0], p)
            return x + F.dropout(self.feed_forward(self.norm3(x)), p)
        x = self.norm1(x + F.dropout(self.self_attention(x, x, x, mask)[0], p))
        x = self.norm2(x + F.dropout(self.cross_attention(x, memory, memory, memory_mask)[0], p))
        return self.norm3(x + F.dropout(self.feed_forward(x), p))

# %% correct: a generator that asks for the stream and is sent it

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
            read = yield
            read = yield self.self_attention(read, read, read, mask)[0]
            read = yield self.cross_attention(query=read, key=memory, value=memory, mask=memory_mask)[0]
            yield self.feed_forward(read)

        running = parts()
        next(running)
        for norm in (self.norm1, self.norm2, self.norm3):
            if self.norm_first:
                x = torch.add(x, self.dropout(running.send(norm(x))))
            else:
                x = norm(torch.add(x, self.dropout(running.send(x))))
        return x

# %% correct: numbered parts, by recursion

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
        def added(number: int, read: Tensor) -> Tensor:
            if number == 3:
                return self.dropout(self.feed_forward(read))
            attention = self.self_attention if number == 1 else self.cross_attention
            source, allowed = (read, mask) if number == 1 else (memory, memory_mask)
            return self.dropout(attention(read, source, source, allowed)[0])

        def after(number: int) -> Tensor:
            if number == 0:
                return x
            stream, norm = after(number - 1), self.get_submodule(f"norm{number}")
            return stream + added(number, norm(stream)) if self.norm_first else norm(stream + added(number, stream))

        return after(3)
