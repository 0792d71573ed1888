# %% wrong: cross-attention asks the stream
# Another source leaves the output as it was: the cross-attention took keys and values from the stream. They come from
# the memory.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), self.norm2(x), self.norm2(x), None)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, x, x, None)[0]))

# %% wrong: the memory asks the stream
# The roles are exchanged: the memory asked and the stream answered. The queries come from the stream; keys and values
# are the memory.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(memory, self.norm2(x), self.norm2(x), None)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(memory, x, x, None)[0]))

# %% wrong: values from the stream
# The weights were computed with the memory's keys, and then shared out values of the stream. What is fetched comes
# from the memory, too.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, x, memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, x, memory_mask)[0]))

# %% wrong: the memory is normed once more
# With norm_first the memory went through norm2. That norm is the stream's; the memory comes normed from its own tower
# and is used as it is.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), self.norm2(memory), self.norm2(memory), memory_mask)[0])

# %% wrong: the queries of the cross-attention are not normed
# With norm_first every part reads norm(x), the cross-attention too: norm2 was not used.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])

# %% wrong: the two masks are exchanged
# mask went to the cross-attention and memory_mask to the self-attention. The first is for the stream itself (T, T),
# the second for the memory (T, S).

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed, memory_mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, mask)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, memory_mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, mask)[0]))

# %% wrong: the memory's mask is lost
# memory_mask changes nothing: the source's padding would be read. Hand it to the cross-attention.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory)[0]))

# %% wrong: the stream's mask is lost
# mask changes nothing: every word could read the words that come after it. Hand it to the self-attention.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x)[0]))

# %% wrong: the cross-attention comes first
# The memory was asked before the stream had read itself. The order is self-attention, cross-attention, feed-forward.

class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the source, feed-forward: each reads and adds.

    As in Vaswani et al. (2017, section 3.1) with norm_first=False: x = norm(x + part(x)) for
    each part in this order. With norm_first=True: x = x + part(norm(x)); nothing is normed at
    the end.
    The queries of the cross-attention come from the stream (normed before it where norm_first);
    its keys and values come from the memory as it was given, the encoder's outputs.
    dropout is applied to what each part adds. The parts are self_attention and cross_attention
    (MultiHeadAttention), feed_forward (FeedForward); norm1, norm2, norm3 (nn.LayerNorm) are
    theirs.

    forward: x (B, T, D), memory (B, S, D); two masks, boolean, True = may attend, or None:
      mask, broadcastable to (B, T, T), for the self-attention (the caller makes it causal);
      memory_mask, broadcastable to (B, T, S), for the cross-attention.
    Returns (B, T, D).
    """

    def __init__(
        self,
        d_model,
        num_heads,
        d_ff,
        dropout=0.0,
        activation=F.relu,
        layer_norm_eps=1e-5,
        norm_first=False,
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
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% wrong: cross-attention replaces the stream
# What the cross-attention gives took the place of the stream. All three parts read and add.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))

# %% wrong: one attention for both
# The same attention read the stream and the memory; cross_attention and its weights were never used.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.self_attention(x, memory, memory, memory_mask)[0]))

# %% wrong: always the norm after
# norm_first=True gives what norm_first=False should. There are two orders to write.

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

# %% wrong: the stream attends causally whatever the mask says
# Without a mask the layer still hides later positions. The caller says what is allowed: use mask as it was given, None
# included.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed, torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril())[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril())[0]))

# %% wrong: every sum starts from the normed stream
# With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here
# in all three parts the normed x took the stream's place: give the normed tensor a name of its own.

# --- before
            normed = self.norm1(x)
# --- after
            x = normed = self.norm1(x)
# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            x = self.norm2(x)
            x = x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])
            x = self.norm3(x)
            return x + self.dropout(self.feed_forward(x))

# %% wrong: the first sum starts from the normed stream
# With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here
# at the self-attention the normed x took the stream's place: give the normed tensor a name of its own.

# --- before
            normed = self.norm1(x)
# --- after
            x = normed = self.norm1(x)

# %% wrong: the cross-attention's sum starts from the normed stream
# With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here
# at the cross-attention the normed x took the stream's place: give the normed tensor a name of its own.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = self.norm2(x)
            x = x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0])

# %% wrong: the last sum starts from the normed stream
# With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here
# at the feed-forward network the normed x took the stream's place: give the normed tensor a name of its own.

# --- before
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            x = self.norm3(x)
            return x + self.dropout(self.feed_forward(x))

# %% wrong: keys from the stream
# The values are the memory's, but the keys were made from the stream: the scores compare the stream with itself. Keys
# and values both come from the memory.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), self.norm2(x), memory, memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, x, memory, memory_mask)[0]))

# %% wrong: the sum starts from the memory
# What the cross-attention gives was added to the memory. It is the stream that reads and adds: the sum starts from x.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = memory + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(memory + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))

# %% wrong: mask for both attentions
# The cross-attention got mask, and memory_mask was not used at all. mask is for the stream itself, memory_mask for the
# memory.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, mask)[0]))

# %% wrong: memory_mask for both attentions
# The self-attention got memory_mask, and mask was not used at all. mask is for the stream itself, memory_mask for the
# memory.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed, memory_mask)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, memory_mask)[0]))

# %% wrong: dropout on the queries, too
# In training numbers are dropped from what the cross-attention asks with. dropout is for what a part adds, and for
# nothing else.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.dropout(self.norm2(x)), memory, memory, memory_mask)[0])

# %% wrong: dropout on the memory
# In training numbers are dropped from the memory. dropout is for what a part adds, and for nothing else.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), self.dropout(memory), self.dropout(memory), memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, self.dropout(memory), self.dropout(memory), memory_mask)[0]))

# %% wrong: no dropout
# In evaluation all is right, in training nothing is dropped: self.dropout is not used.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
# --- after
            x = x + (self.self_attention(normed, normed, normed, mask)[0])
            x = x + (self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            return x + (self.feed_forward(self.norm3(x)))
        x = self.norm1(x + (self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + (self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + (self.feed_forward(x)))

# %% wrong: the cross-attention asks with norm1
# The queries of the cross-attention were made of the stream as it was before the self-attention. Norm the stream anew,
# with norm2.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(normed, memory, memory, memory_mask)[0])

# %% wrong: norm2 and norm3 are exchanged
# norm3 went to the cross-attention and norm2 to the feed-forward network: the norms stand in the order of the parts.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            x = x + self.dropout(self.cross_attention(self.norm3(x), memory, memory, memory_mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
# --- after
        x = self.norm3(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: norm2 is used twice
# The feed-forward network's norm is norm3; norm2 was used for it, too.

# --- before
            return x + self.dropout(self.feed_forward(self.norm3(x)))
# --- after
            return x + self.dropout(self.feed_forward(self.norm2(x)))
# --- before
        return self.norm3(x + self.dropout(self.feed_forward(x)))
# --- after
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% wrong: always the norm before
# norm_first=False gives what norm_first=True should. In the paper's order the norm comes after the sum.

# --- before
        if self.norm_first:
# --- after
        if True:

# %% wrong: the two orders are exchanged
# Both orders are there, and each stands where the other should: norm_first=True means that a part reads norm(x).

# --- before
        if self.norm_first:
# --- after
        if not self.norm_first:

# %% wrong: the memory's mask is turned round
# The padding of the source was read and its words were hidden. True means may attend: hand memory_mask on as it is.

# --- before
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, None if memory_mask is None else ~memory_mask)[0])
# --- before
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, None if memory_mask is None else ~memory_mask)[0]))

# %% wrong: the attention's pair is used whole
# The attention gives a pair, its output and its weights. Only the output is added.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask))
            x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask))
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)))

# %% wrong: no dropout where the norm comes after
# With norm_first dropout falls as it should; in the paper's order nothing is dropped. There, too, it is for what a
# part adds, before the sum and its norm.

# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
# --- after
        x = self.norm1(x + (self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + (self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + (self.feed_forward(x)))

# %% wrong: the masks are lost where the norm comes after
# With norm_first both masks do their work; in the paper's order neither changes anything. Hand them on to the two
# attentions there, too.

# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory)[0]))

# %% wrong: eps does not reach the norms
# With another layer_norm_eps nothing changes: the three norms keep PyTorch's own. Hand it on to them.

# --- before
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

# %% wrong: the activation does not reach the network
# With another activation nothing changes: the feed-forward network keeps its own relu. Hand it on.

# --- before
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
# --- after
        self.feed_forward = FeedForward(d_model, d_ff)

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

# %% correct: a loop over the parts

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
        parts = [
            (self.norm1, lambda y: self.self_attention(y, y, y, mask)[0]),
            (self.norm2, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0]),
            (self.norm3, self.feed_forward),
        ]
        for norm, part in parts:
            if self.norm_first:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x

# %% correct: two methods

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

    def pre(self, x, memory, mask, memory_mask):
        n = self.norm1(x)
        a = x + self.dropout(self.self_attention(n, n, n, mask)[0])
        c = a + self.dropout(self.cross_attention(self.norm2(a), memory, memory, memory_mask)[0])
        return c + self.dropout(self.feed_forward(self.norm3(c)))

    def post(self, x, memory, mask, memory_mask):
        a = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        c = self.norm2(a + self.dropout(self.cross_attention(a, memory, memory, memory_mask)[0]))
        return self.norm3(c + self.dropout(self.feed_forward(c)))

    def forward(self, x, memory, mask=None, memory_mask=None):
        return (self.pre if self.norm_first else self.post)(x, memory, mask, memory_mask)

# %% correct: F.dropout that knows the mode

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
        def drop(y):
            return F.dropout(y, p=self.dropout.p, training=self.training)

        if not self.norm_first:
            x = self.norm1(torch.add(x, drop(self.self_attention(x, x, x, mask)[0])))
            x = self.norm2(torch.add(x, drop(self.cross_attention(x, memory, memory, memory_mask)[0])))
            return self.norm3(torch.add(x, drop(self.feed_forward(x))))
        query = self.norm1(x)
        x = torch.add(x, drop(self.self_attention(query, query, query, mask)[0]))
        x = torch.add(x, drop(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]))
        return torch.add(x, drop(self.feed_forward(self.norm3(x))))
