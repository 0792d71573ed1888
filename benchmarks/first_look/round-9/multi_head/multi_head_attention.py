# %% wrong: the mask goes in as it came
# The mask (B, T, S) meets scores (B, H, T, S) without an axis for the heads: sentence b's mask is taken for
# head b. Shows for B > 1: an error where B is not H, and where B = H the wrong sentences' masks.

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
        Q = split_heads(self.W_Q(query), self.num_heads)
        K = split_heads(self.W_K(key), self.num_heads)
        V = split_heads(self.W_V(value), self.num_heads)
        out, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(merge_heads(out)), weights


# %% wrong: divided by the root of the whole width
# The scores of a head are divided by sqrt(d_model), not by sqrt(d_model / num_heads).
# Shows for every num_heads > 1 (and more than one key): the weights are too flat.

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
        d_model = query.shape[-1]
        Q = split_heads(self.W_Q(query), self.num_heads)
        K = split_heads(self.W_K(key), self.num_heads)
        V = split_heads(self.W_V(value), self.num_heads)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(d_model)
        allowed = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            allowed = allowed & mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        scores = scores.masked_fill(~allowed, -torch.inf)
        weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)  # a row that allows nothing looks at nothing
        return self.W_O(merge_heads(weights @ V)), weights


# %% wrong: the mask must have three axes
# unsqueeze(1) is right for (B, T, S) alone. A mask (T, S), as causal_mask gives it, becomes (T, 1, S), and its
# queries are taken for heads: an error, or wrong weights where T = num_heads.

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
        if mask is not None:
            mask = mask.unsqueeze(1)  # the same for every head
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        q, k, v = (split_heads(part, self.num_heads) for part in (q, k, v))
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(heads)), weights


# %% wrong: the values are made of the keys
# W_V is applied to key, and the argument value is never read. In self-attention nothing shows; it shows where
# key and value are different tensors.

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
        H = self.num_heads
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])[:, None]
        output, weights = scaled_dot_product_attention(
            split_heads(self.W_Q(query), H),
            split_heads(self.W_K(key), H),
            split_heads(self.W_V(key), H),
            mask,
        )
        return self.W_O(merge_heads(output)), weights


# %% correct: a sum of heads, each with its own columns of W_O

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
        B, T, D = query.shape
        S = key.shape[1]
        d = D // self.num_heads
        allowed = torch.ones(B, T, S, dtype=torch.bool, device=query.device) if mask is None else mask.expand(B, T, S)
        Q, K, V = self.W_Q(query), self.W_K(key), self.W_V(value)
        output = self.W_O.bias.expand(B, T, D)
        looks = []
        for start in range(0, D, d):
            q, k, v = (part.narrow(2, start, d) for part in (Q, K, V))
            scores = torch.bmm(q, k.transpose(1, 2)) * d**-0.5
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
            scores = scores - scores.amax(dim=2, keepdim=True).detach()
            unnormalised = scores.exp() * allowed
            total = unnormalised.sum(dim=2, keepdim=True)
            look = unnormalised / torch.where(total > 0, total, torch.ones_like(total))
            output = output + torch.bmm(look, v) @ self.W_O.weight[:, start : start + d].T
            looks.append(look)
        return output, torch.stack(looks, dim=1)


# %% correct: the heads as further sentences of a batch

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
        (B, T, D), S, H = query.shape, key.shape[1], self.num_heads

        def as_sentences(x: Tensor) -> Tensor:  # (B, L, D) -> (B * H, L, d)
            return torch.cat([torch.stack(sentence.chunk(H, dim=1)) for sentence in x])

        if mask is not None:
            mask = torch.broadcast_to(mask, (B, T, S)).repeat_interleave(H, dim=0)
        found, weights = scaled_dot_product_attention(
            as_sentences(self.W_Q(query)), as_sentences(self.W_K(key)), as_sentences(self.W_V(value)), mask
        )
        rows = [torch.cat(list(heads), dim=1) for heads in found.split(H)]  # B times (T, D)
        return self.W_O(torch.stack(rows)), weights.unflatten(0, (B, H))
