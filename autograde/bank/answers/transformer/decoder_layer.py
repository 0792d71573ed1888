# %% wrong: cross-attention asks the stream
# Another source leaves the output as it was: the cross-attention took keys and values from the stream. They come from
# the memory.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.cross_attention(self.norm2(x), self.norm2(x), self.norm2(x), None)[0]
# --- before
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
# --- after
            x + self.dropout(self.cross_attention(x, x, x, None)[0])

# %% wrong: the memory asks the stream
# The roles are exchanged: the memory asked and the stream answered. The queries come from the stream; keys and values
# come from the memory.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.cross_attention(memory, self.norm2(x), self.norm2(x), None)[0]
# --- before
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
# --- after
            x + self.dropout(self.cross_attention(memory, x, x, None)[0])

# %% wrong: the memory is normed once more
# With norm_first the memory went through norm2. That norm is the stream's; the memory comes normed from the encoder's
# stack and is used as it is.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.cross_attention(self.norm2(x), self.norm2(memory), self.norm2(memory), memory_mask)[0]

# %% wrong: the queries of the cross-attention are not normed
# With norm_first every part reads norm(x), the cross-attention too: norm2 was not used.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.cross_attention(x, memory, memory, memory_mask)[0]

# %% wrong: the two masks are exchanged
# mask went to the cross-attention and memory_mask to the self-attention. The first is for the stream itself (T, T),
# the second for the memory (T, S).

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            )
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed, memory_mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, mask)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
        )
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, memory_mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, mask)[0]))

# %% wrong: the memory's mask is lost
# memory_mask changes nothing: the source's padding would be read. Pass it to the cross-attention.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.cross_attention(self.norm2(x), memory, memory)[0]
# --- before
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
# --- after
            x + self.dropout(self.cross_attention(x, memory, memory)[0])

# %% wrong: the stream's mask is lost
# mask changes nothing: every word could read the words that come after it. Pass it to the self-attention.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x)[0]))

# %% wrong: the stream's mask is taken to be causal
# Whatever mask came in, the self-attention got a causal one. The caller makes the mask: pass it on as it is.

# --- before
        if self.norm_first:
# --- after
        mask = None if mask is None else torch.ones_like(mask).tril()
        if self.norm_first:

# %% wrong: one attention for both
# The same attention read the stream and the memory; cross_attention and its weights were never used.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.self_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- before
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
# --- after
            x + self.dropout(self.self_attention(x, memory, memory, memory_mask)[0])

# %% wrong: always the norm after
# norm_first=True gives what norm_first=False should. The docstring has two orders: write both.

# --- before
        if self.norm_first:
# --- after
        if False:

# %% wrong: dropout falls on the stream
# In training dropout was applied to the sum, which drops parts of the stream itself. Apply it to what a part adds,
# before it is added.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = self.dropout(x + self.self_attention(normed, normed, normed, mask)[0])
# --- before
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            return self.dropout(x + self.feed_forward(self.norm3(x)))

# %% wrong: every sum starts from the normed stream
# With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here
# in all three parts the normed x took the stream's place: give the normed tensor a name of its own.

# --- before
            normed = self.norm1(x)
# --- after
            x = normed = self.norm1(x)
# --- before
            x = x + self.dropout(
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            )
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            x = self.norm2(x)
            x = x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
            x = self.norm3(x)
            return x + self.dropout(self.feed_forward(x))

# %% wrong: the two orders are exchanged
# Both orders are there, and each stands where the other should: norm_first=True means that a part reads norm(x).

# --- before
        if self.norm_first:
# --- after
        if not self.norm_first:

# %% wrong: the memory's mask is turned round
# The padding of the source was read and its words were hidden. True means may attend: pass memory_mask on as it is.

# --- before
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
# --- after
                self.cross_attention(self.norm2(x), memory, memory, None if memory_mask is None else ~memory_mask)[0]
# --- before
            x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
# --- after
            x + self.dropout(self.cross_attention(x, memory, memory, None if memory_mask is None else ~memory_mask)[0])

# %% wrong: eps does not reach the norms
# With another layer_norm_eps nothing changes: the three norms keep PyTorch's own. Pass it to them.

# --- before
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

# %% wrong: the activation does not reach the network
# With another activation nothing changes: the feed-forward network keeps its own relu. Pass the activation to it.

# --- before
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
# --- after
        self.feed_forward = FeedForward(d_model, d_ff)

# %% wrong: no dropout
# In evaluation all is right, but in training nothing is dropped: self.dropout is not used. Apply it to what each part
# adds.

# --- before
        self.dropout = nn.Dropout(dropout)
# --- after
        self.dropout = nn.Identity()

# %% correct: one function around each part
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def around(self, x, norm, part):
        return x + self.dropout(part(norm(x))) if self.norm_first else norm(x + self.dropout(part(x)))

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.around(x, self.norm1, lambda y: self.self_attention(y, y, y, mask)[0])
        x = self.around(x, self.norm2, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0])
        return self.around(x, self.norm3, self.feed_forward)

# %% correct: one line after the other
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, memory, mask=None, memory_mask=None):
        pre = self.norm_first
        y = self.norm1(x) if pre else x
        x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
        x = x if pre else self.norm1(x)
        y = self.norm2(x) if pre else x
        x = x + self.dropout(self.cross_attention(query=y, key=memory, value=memory, mask=memory_mask)[0])
        x = x if pre else self.norm2(x)
        y = self.norm3(x) if pre else x
        x = x + self.dropout(self.feed_forward(y))
        return x if pre else self.norm3(x)

# %% correct: F.dropout that knows the mode
# --- before
        self.dropout = nn.Dropout(dropout)
# --- after
        self.dropout = lambda y: F.dropout(y, dropout, self.training)

# %% correct: a dropout for each part
# --- before
        self.dropout = nn.Dropout(dropout)
# --- after
        self.dropout, self.dropout3 = nn.Dropout(dropout), nn.Dropout(dropout)
# --- before
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            return torch.add(x, self.dropout3(self.feed_forward(self.norm3(x))))

# %% correct: the attention's arguments by name
# --- before
            x = x + self.dropout(
                self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
            )
# --- after
            looked_up, _ = self.cross_attention(query=self.norm2(x), key=memory, value=memory, mask=memory_mask)
            x = self.dropout(looked_up) + x
