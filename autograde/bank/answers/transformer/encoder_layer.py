# %% wrong: the sum starts from the normed stream
# With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here
# the normed x took the stream's place.

# --- before
            normed = self.norm1(x)
# --- after
            x = normed = self.norm1(x)

# %% wrong: nothing is added, attention replaces the stream
# What the attention gives took the place of the stream. Each part reads the stream and adds to it; see section 6.1 for
# what becomes of a stack without that.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]))

# %% wrong: always the norm after
# norm_first=True gives what norm_first=False should. The docstring has two orders: write both.

# --- before
        if self.norm_first:
# --- after
        if False:

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

# %% wrong: the mask is not handed on
# The mask changes nothing. Pass it to the attention.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x)[0]))

# %% wrong: keys and values are not normed
# With norm_first only the queries were normed. In self-attention query, key and value are the same tensor: norm it
# once and give it three times.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, x, x, mask)[0])

# %% wrong: dropout falls on the stream
# In training dropout was applied to the sum, which drops parts of the stream itself. Apply it to what a part adds,
# before it is added.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
# --- after
            x = self.dropout(x + self.self_attention(normed, normed, normed, mask)[0])
            return self.dropout(x + self.feed_forward(self.norm2(x)))
        x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))
        return self.norm2(self.dropout(x + self.feed_forward(x)))

# %% wrong: no dropout
# In evaluation all is right, but in training nothing is dropped: self.dropout is not used. Apply it to what each part
# adds.

# --- before
        self.dropout = nn.Dropout(dropout)
# --- after
        self.dropout = nn.Identity()

# %% wrong: dropout in evaluation too
# Numbers are dropped after eval() as well: F.dropout drops unless it is told not to. Use the module self.dropout,
# which knows its mode.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
# --- after
            x = x + F.dropout(p=self.dropout.p, input=self.self_attention(normed, normed, normed, mask)[0])
            return x + F.dropout(p=self.dropout.p, input=self.feed_forward(self.norm2(x)))
        x = self.norm1(x + F.dropout(p=self.dropout.p, input=self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + F.dropout(p=self.dropout.p, input=self.feed_forward(x)))

# %% wrong: the norm before, and once more after the layer
# With norm_first something norms the end of the layer, and the stream no longer runs through it untouched. The stack
# has one norm for that, after its last layer.

# --- before
            return x + self.dropout(self.feed_forward(self.norm2(x)))
# --- after
            return self.norm2(x + self.dropout(self.feed_forward(self.norm2(x))))

# %% wrong: the mask is turned round
# What the mask allows was hidden and what it hides was read. True means may attend, in your attention too: pass the
# mask on as it is.

# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            x = x + self.dropout(self.self_attention(normed, normed, normed, None if mask is None else ~mask)[0])
# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
# --- after
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, None if mask is None else ~mask)[0]))

# %% wrong: eps does not reach the norms
# With another layer_norm_eps nothing changes: both norms keep PyTorch's own. Pass it to them.

# --- before
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
# --- after
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

# %% wrong: the activation does not reach the network
# With another activation nothing changes: the feed-forward network keeps its own relu. Pass the activation to it.

# --- before
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
# --- after
        self.feed_forward = FeedForward(d_model, d_ff)

# %% wrong: norm of the part instead of the sum
# With norm_first=False the norm was put around what a part gives. In the paper's order it is around the sum.

# --- before
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
# --- after
        x = x + self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]))
        return x + self.norm2(self.dropout(self.feed_forward(x)))

# %% correct: one function around each part
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def around(self, x, norm, part):
        return x + self.dropout(part(norm(x))) if self.norm_first else norm(x + self.dropout(part(x)))

    def forward(self, x, mask=None):
        x = self.around(x, self.norm1, lambda y: self.self_attention(y, y, y, mask)[0])
        return self.around(x, self.norm2, self.feed_forward)

# %% correct: one line after the other
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        y = self.norm1(x) if self.norm_first else x
        attended, _ = self.self_attention(query=y, key=y, value=y, mask=mask)
        x = x + self.dropout(attended)
        if not self.norm_first:
            x = self.norm1(x)
        y = self.norm2(x) if self.norm_first else x
        x = x + self.dropout(self.feed_forward(y))
        if not self.norm_first:
            x = self.norm2(x)
        return x

# %% correct: F.dropout that knows the mode
# --- before
        self.dropout = nn.Dropout(dropout)
# --- after
        self.dropout = lambda y: F.dropout(y, dropout, self.training)

# %% correct: a dropout for each part
# --- before
        self.dropout = nn.Dropout(dropout)
# --- after
        self.dropout, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
# --- before
            return x + self.dropout(self.feed_forward(self.norm2(x)))
# --- after
            return torch.add(x, self.dropout2(self.feed_forward(self.norm2(x))))

# %% correct: the attention's arguments by name
# --- before
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
# --- after
            attended, _ = self.self_attention(query=normed, key=normed, value=normed, mask=mask)
            x = self.dropout(attended) + x
