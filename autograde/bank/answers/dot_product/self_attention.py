# %% wrong: the values are not projected
# What is handed out is x itself: W_V is there and takes no part. The values have a map of their own.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), x, mask)

# %% wrong: nothing is projected
# The sequence asked itself as it is, and the three maps take no part. Each role has its own map. See section 4.6.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(x, x, x, mask)

# %% wrong: query and key share one map
# Query and key went through the same map, so the scores are symmetric: t asks s as s asks t. The keys have a map of
# their own.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_Q(x), self.W_V(x), mask)

# %% wrong: keys and values share one map
# The values are the keys. Keys are for finding and values for handing out: let W_V make the values.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_K(x), mask)

# %% wrong: one map for all three
# The three names stand for one and the same map, with one weight. Make three maps: they are to learn three different
# things.

# --- before
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
# --- after
        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)

# %% wrong: maps with a bias
# The maps have a bias. The docstring asks for three maps without one, as in the paper.

# --- before
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
# --- after
        self.W_Q = nn.Linear(d_model, d_model, bias=True)
        self.W_K = nn.Linear(d_model, d_model, bias=True)
        self.W_V = nn.Linear(d_model, d_model, bias=True)

# %% wrong: query and key are exchanged
# The keys ask and the queries answer: the scores are transposed. The map W_Q makes what asks.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_K(x), self.W_Q(x), self.W_V(x), mask)

# %% wrong: the mask is left behind
# The mask does not arrive: it was taken and not handed on. Padding and future are seen by all.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x))

# %% wrong: the mask is used in training only
# The mask does not arrive in evaluation. It says what exists and what may be known, which is the same at all times.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask if self.training else None)

# %% wrong: the mask is turned round
# The mask arrives turned round. True means may attend on both sides: hand it on as it is.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), None if mask is None else ~mask)

# %% wrong: scaled twice
# The weights are flatter than they should be: the root of the width divides twice. The attention that you call does it
# already.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x) / x.shape[-1] ** 0.5, self.W_K(x), self.W_V(x), mask)

# %% wrong: x is added to the output
# The input was added to the output. That residual connection belongs round the attention, and comes in chapter 06.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        output, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
        return x + output, weights

# %% wrong: batch and sequence are exchanged
# The sequences of a batch asked one another, position by position. The batch comes first here: leave the axes as they
# are.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        x = x.transpose(0, 1)
        output, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x))
        return output.transpose(0, 1), weights

# %% wrong: a fourth map for the output
# There is a map after the attention too. It belongs to several heads, and comes in chapter 05; here there are three.

# --- before
        self.W_V = nn.Linear(d_model, d_model, bias=False)
# --- after
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        output, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
        return self.W_O(output), weights

# %% wrong: maps under other names
# The maps are there under other names. Names are part of a module: weights are saved and loaded by them. Call them
# W_Q, W_K and W_V.

# --- before
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
# --- after
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)

# %% wrong: matrices in place of maps
# W_Q, W_K and W_V are bare matrices. Make them nn.Linear, whose parameter is called W_Q.weight: later chapters load it
# under that name, and it begins at a sensible size.

# --- before
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
# --- after
        self.W_Q = nn.Parameter(torch.eye(d_model))
        self.W_K = nn.Parameter(torch.eye(d_model))
        self.W_V = nn.Parameter(torch.eye(d_model))
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(x @ self.W_Q.T, x @ self.W_K.T, x @ self.W_V.T, mask)

# %% wrong: maps that the module does not know
# The module has no parameters, so nothing of it would be trained or saved. A map has to be an attribute of its own,
# made in the constructor; a plain list hides it.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.maps = [nn.Linear(d_model, d_model, bias=False) for _ in range(3)]

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(*(linear(x) for linear in self.maps), mask)

# %% wrong: one wide map, cut in three
# One map of three times the width computes the same, and fast implementations do it so. Here three maps of their own
# are asked for, which can be looked at and loaded one by one.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W = nn.Linear(d_model, 3 * d_model, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(*self.W(x).chunk(3, dim=-1), mask)

# %% wrong: the maps' matrices from the wrong side
# x was multiplied by the weights untransposed. nn.Linear holds its matrix as (out, in): call the map instead, W_Q(x).

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(*(x @ m.weight for m in (self.W_Q, self.W_K, self.W_V)), mask)

# %% wrong: causal whether asked or not
# No position sees a later one, whatever mask is given. Whoever calls decides that: hand the mask on, or None.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), past if mask is None else mask & past)

# %% wrong: not scaled
# The scores are not divided by the root of the width. Your scaled_dot_product_attention does it: call it.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        weights = masked_softmax(self.W_Q(x) @ self.W_K(x).mT, mask)
        return weights @ self.W_V(x), weights

# %% wrong: divided by the root of the length
# The scores were divided by the root of T. Your scaled_dot_product_attention divides by that of the width: call it.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        weights = masked_softmax(self.W_Q(x) @ self.W_K(x).mT / x.shape[1] ** 0.5, mask)
        return weights @ self.W_V(x), weights

# %% wrong: the output alone
# Only one result came back. Return the output and the weights, as the function does that you call.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)[0]

# %% wrong: the weights are cut off from the graph
# The numbers are right, and the weights that came back carry no gradient. Return them as they are.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        output, weights = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
        return output, weights.detach()

# %% correct: written out

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        scores = torch.einsum("btd,bsd->bts", query, key) / self.d_model**0.5
        weights = masked_softmax(scores, mask)
        return weights @ value, weights

# %% correct: the score matrix in one: W_Q^T W_K

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, False)
        self.W_K = nn.Linear(d_model, d_model, False)
        self.W_V = nn.Linear(d_model, d_model, False)

    def forward(self, x, mask=None):
        between = self.W_Q.weight.T @ self.W_K.weight
        scores = x @ between @ x.transpose(1, 2) / x.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return self.W_V(weights @ x), weights

# %% correct: setattr in a loop

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x, mask=None):
        query, key, value = (getattr(self, name)(x) for name in ("W_Q", "W_K", "W_V"))
        return scaled_dot_product_attention(query, key, value, mask=mask)

# %% correct: one sequence at a time

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        B, T, _ = x.shape
        masks = [None] * B if mask is None else mask.expand(B, T, T)
        done = [scaled_dot_product_attention(self.W_Q(s), self.W_K(s), self.W_V(s), m) for s, m in zip(x, masks)]
        return torch.stack([output for output, _ in done]), torch.stack([weights for _, weights in done])

# %% correct: the three weights side by side in one product

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x, mask=None):
        together = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        query, key, value = (x @ together.T).chunk(3, dim=-1)
        return scaled_dot_product_attention(query, key, value, mask)
