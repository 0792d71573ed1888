# %% wrong: an axis for the heads in every mask
# unsqueeze(1) is right for a mask (B, T, S) only: (T, S) becomes (T, 1, S) and (S,) becomes (S, 1).
# It shows for causal_mask(T) with T > 1: an error, or where B = T another mask for each sentence.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights

# %% wrong: the root of the whole width
# The scores are divided by sqrt(d_model), as with one head, not by the root of a head's width. It
# shows in weights and output for every num_heads above 1, with two keys or more.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        scores = q @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        weights = masked_softmax(scores, mask)
        return self.W_O(merge_heads(weights @ v)), weights

# %% wrong: the values are made from the key
# In self- and cross-attention key and value are the same tensor, and nothing shows. It shows where
# key and value are given as different tensors.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_Q(query), self.num_heads)
        k, v = (split_heads(W(key), self.num_heads) for W in (self.W_K, self.W_V))
        if mask is not None and mask.dim() > 2:
            mask = mask[:, None]
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights

# %% wrong: heads folded into the batch, masks in the other order
# Sentence b and head h stand in row b * H + h, but mask.repeat(H, 1, 1) puts the mask of sentence
# i % B into row i. It shows where B and H are above 1 and the sentences have different masks.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        B, T, _ = query.shape
        H, S = self.num_heads, key.shape[1]
        q = split_heads(self.W_Q(query), H).flatten(0, 1)
        k = split_heads(self.W_K(key), H).flatten(0, 1)
        v = split_heads(self.W_V(value), H).flatten(0, 1)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found.unflatten(0, (B, H)))), weights.unflatten(0, (B, H))

# %% correct: each head adds its own term to the bias of the output
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        output, weights = self.W_O.bias, []
        projected = self.W_Q(query), self.W_K(key), self.W_V(value)
        columns = self.W_O.weight.chunk(self.num_heads, dim=1)
        for q, k, v, back in zip(*(p.chunk(self.num_heads, dim=2) for p in projected), columns):
            found, looked = scaled_dot_product_attention(q, k, v, mask)
            output = output + found @ back.T
            weights.append(looked)
        return output, torch.stack(weights, dim=1)

# %% correct: einsum with the maps folded into heads, and a softmax written out
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def of_heads(self, W, x):
        weight = W.weight.unflatten(0, (self.num_heads, -1))  # (H, d, D)
        bias = W.bias.view(self.num_heads, 1, -1)
        return torch.einsum("bnf,hdf->bhnd", x, weight) + bias

    def forward(self, query, key, value, mask=None):
        q = self.of_heads(self.W_Q, query)
        k = self.of_heads(self.W_K, key)
        v = self.of_heads(self.W_V, value)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            allowed = mask.broadcast_to(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            scores = scores.masked_fill(allowed.logical_not(), -torch.inf)
        highest = scores.detach().amax(dim=-1, keepdim=True)
        highest = highest.masked_fill(highest == -torch.inf, 0.0)
        shares = torch.exp(scores - highest)
        total = shares.sum(dim=-1, keepdim=True)
        weights = shares / total.masked_fill(total == 0, 1.0)
        out = self.W_O.weight.unflatten(1, (self.num_heads, -1))  # (D, H, d)
        return torch.einsum("bhts,bhsd,fhd->btf", weights, v, out) + self.W_O.bias, weights
