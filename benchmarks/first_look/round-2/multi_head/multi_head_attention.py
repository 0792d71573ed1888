# %% wrong: the mask's new axis counted from the front
# mask.unsqueeze(1) is right for (B, T, S) and (B, 1, S), but makes (T, 1, S) of a causal mask (T, S): an error, or silence where T equals the number of heads. A good message: "a mask (T, S), e.g. a causal one, must work: count the axis of the heads from the end".

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights

# %% wrong: values made of the keys
# W_V(key) in place of W_V(value): wherever key and value are the same tensor, as in every example of the notebook, nothing shows. A good message: "with a value that is not the key the output is another: what does W_V read?"

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys, values = (split_heads(W(key), self.num_heads) for W in (self.W_K, self.W_V))
        if mask is not None:
            mask = mask.broadcast_to(query.shape[0], query.shape[1], key.shape[1])[:, None]
        found, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.W_O(merge_heads(found)), weights

# %% wrong: heads folded into the batch, the mask repeated in another order
# The heads go into the batch axis as (B * H), sentence by sentence, but mask.repeat(H, 1, 1) lists it head by head: with one sentence, or all masks alike, it is right. A good message: "with two sentences of different lengths the weights are those of the other sentence's mask".

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, T, S, H = query.shape[0], query.shape[1], key.shape[1], self.num_heads
        q = split_heads(self.W_Q(query), H).flatten(0, 1)
        k = split_heads(self.W_K(key), H).flatten(0, 1)
        v = split_heads(self.W_V(value), H).flatten(0, 1)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output.unflatten(0, (B, H)))), weights.unflatten(0, (B, H))

# %% wrong: scaled by the whole width
# The scores are divided by sqrt(d_model), as if there were one head, and by nothing else: the softmax is too flat for more than one head. A good message: "each head's dot product runs over d = D / H numbers; divide by the root of that".

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        scores = q @ k.transpose(-2, -1) / query.shape[-1] ** 0.5
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
            mask = mask.expand_as(scores)
        weights = masked_softmax(scores, mask)
        return self.W_O(merge_heads(weights @ v)), weights

# %% correct: einsum, and the heads' parts of W_O added up

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        H = self.num_heads

        def heads_of(x: Tensor, linear: nn.Linear) -> Tensor:
            rows = linear.weight.view(H, -1, linear.in_features)  # (H, d, D)
            return torch.einsum("btf,hdf->bhtd", x, rows) + linear.bias.view(H, 1, -1)

        q, k, v = heads_of(query, self.W_Q), heads_of(key, self.W_K), heads_of(value, self.W_V)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.shape[-1])
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            allowed = mask.broadcast_to(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            some = allowed.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~allowed & some, -math.inf)
            weights = scores.softmax(dim=-1).masked_fill(~allowed, 0.0)
        columns = self.W_O.weight.view(self.W_O.out_features, H, -1)  # (D, H, d)
        return torch.einsum("bhts,bhsd,fhd->btf", weights, v, columns) + self.W_O.bias, weights

# %% correct: head by head, in a loop

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is not None:
            mask = torch.broadcast_to(mask, (query.shape[0], query.shape[1], key.shape[1]))
        parts = zip(*(W(x).tensor_split(self.num_heads, dim=-1) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))))
        outputs, weights = zip(*(scaled_dot_product_attention(q, k, v, mask) for q, k, v in parts))
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)
