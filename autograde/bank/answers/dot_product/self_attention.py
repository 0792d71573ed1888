# %% wrong: the values are not projected
# What is handed out is x itself: W_V is there and takes no part. The values have a map of their own.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), x, mask)

# %% wrong: query and key share one map
# Query and key went through the same map, so the scores are symmetric: t asks s as s asks t. The keys have a map of
# their own.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_Q(x), self.W_V(x), mask)

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
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model) for _ in range(3))

# %% wrong: the mask is left behind
# The mask was taken and not passed on, so padding and future are seen by all. Pass it to your
# scaled_dot_product_attention.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x))

# %% wrong: the mask is used in training only
# In evaluation the mask is not used. It says what exists and what may be known, which is the same at all times.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask if self.training else None)

# %% wrong: the mask is turned round
# The mask is inverted on its way. True means may attend on both sides: pass it on as it is.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), None if mask is None else ~mask)

# %% wrong: maps under other names
# The maps are there under other names. Names are part of a module: weights are saved and loaded by them. Call them
# W_Q, W_K and W_V.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)

# %% wrong: matrices in place of maps
# W_Q, W_K and W_V are bare matrices. Make them nn.Linear, whose parameter is called W_Q.weight: later chapters load it
# under that name, and it begins at a sensible size.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.eye(d_model)) for _ in range(3))

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(x @ self.W_Q.T, x @ self.W_K.T, x @ self.W_V.T, mask)

# %% wrong: maps that the module does not know
# The module has no parameters, so nothing of it would be trained or saved. A map has to be an attribute of its own,
# made in the constructor; a plain list hides it.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.maps = [nn.Linear(d_model, d_model, bias=False) for _ in range(3)]
        for linear in self.maps:
            nn.init.eye_(linear.weight)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(*(linear(x) for linear in self.maps), mask)

# %% wrong: one wide map, cut in three
# One map of three times the width computes the same, and fast implementations do it so. The docstring asks for three
# maps, which can be looked at and loaded one by one.

class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W = nn.Linear(d_model, 3 * d_model, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(*self.W(x).chunk(3, dim=-1), mask)

# %% wrong: not scaled
# The scores are not divided by the root of the width. Your scaled_dot_product_attention does it: call it.

# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        weights = masked_softmax(self.W_Q(x) @ self.W_K(x).mT, mask)
        return weights @ self.W_V(x), weights

# %% correct: written out
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        scores = torch.einsum("btd,bsd->bts", query, key) / x.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return weights @ value, weights

# %% correct: the score matrix in one: W_Q^T W_K
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        between = self.W_Q.weight.T @ self.W_K.weight
        weights = masked_softmax(x @ between @ x.transpose(1, 2) / x.shape[-1] ** 0.5, mask)
        return self.W_V(weights @ x), weights

# %% correct: setattr in a loop
# --- before
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
# --- after
        for name in ("W_V", "W_K", "W_Q"):
            setattr(self, name, nn.Linear(d_model, d_model, False))

# %% correct: one sequence at a time
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        B, T, _ = x.shape
        masks = [None] * B if mask is None else mask.expand(B, T, T)
        done = [scaled_dot_product_attention(self.W_Q(s), self.W_K(s), self.W_V(s), m) for s, m in zip(x, masks)]
        return torch.stack([output for output, _ in done]), torch.stack([weights for _, weights in done])

# %% correct: the three weights side by side in one product
# --- before
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
# --- after
        together = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        return scaled_dot_product_attention(*(x @ together.T).chunk(3, dim=-1), mask)
