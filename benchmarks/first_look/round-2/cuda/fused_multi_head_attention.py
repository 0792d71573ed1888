# %% wrong: turned for the wrong function
# The mask is inverted, as nn.MultiheadAttention of chapter 05 wanted it; F.scaled_dot_product_attention's True means may attend. A good message: "the output reads exactly the forbidden keys".

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = (
            split_heads(W(x), self.num_heads)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else ~mask)
        return self.W_O(merge_heads(output)), None

# %% wrong: truth values as numbers
# The mask is made a float: 1.0 and 0.0 are ADDED to the scores, and nothing is forbidden. A good message: "a forbidden key still changes the output: a float mask is added".

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = (
            split_heads(W(x), self.num_heads)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.to(q.dtype))
        return self.W_O(merge_heads(output)), None

# %% wrong: the old attention inside
# The old module is kept as self.attention and the maps stand under attention.W_Q ...: the state dict has other names, and a checkpoint of one does not fit the other. A good message: "state_dict has attention.W_Q.weight, promised W_Q.weight".

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.num_heads = attention.num_heads

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = (
            split_heads(W(x), self.num_heads)
            for W, x in ((self.attention.W_Q, query), (self.attention.W_K, key), (self.attention.W_V, value))
        )
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.attention.W_O(merge_heads(output)), None

# %% wrong: copies, and any mask is causal
# The maps are copied, so training one does not train the other; and a mask is answered by is_causal=True, whatever it says. A good message: "shared, not copied: W_Q is not the same module"; "a padding mask is not obeyed".

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        import copy

        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, copy.deepcopy(getattr(attention, name)))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = (
            split_heads(W(x), self.num_heads)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            output = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            output = F.scaled_dot_product_attention(q, k, v)
        return self.W_O(merge_heads(output)), None

# %% correct: rows that see nothing kept apart

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is None:
            return self.W_O(merge_heads(F.scaled_dot_product_attention(q, k, v))), None
        mask = mask.broadcast_to(query.shape[0], query.shape[1], key.shape[1])[:, None]
        some = mask.any(dim=-1, keepdim=True)
        output = F.scaled_dot_product_attention(q, k, v, mask | ~some)
        return self.W_O(merge_heads(torch.where(some, output, torch.zeros_like(output)))), None

# %% correct: minus infinity added, heads by unflatten

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in "QKVO":
            self.add_module(f"W_{name}", getattr(attention, f"W_{name}"))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        shape = query.shape[0], 1, query.shape[1], key.shape[1]
        added, seeing = None, None
        q, k, v = (linear(x).unflatten(2, (self.num_heads, -1)).movedim(2, 1) for linear, x in [(self.W_Q, query), (self.W_K, key), (self.W_V, value)])
        if mask is not None:
            allowed = mask.expand(shape[0], *shape[2:]).unsqueeze(1)
            seeing = allowed.any(dim=3, keepdim=True)
            added = torch.zeros(shape, dtype=q.dtype, device=q.device).masked_fill_(~allowed & seeing, -torch.inf)
        found = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        if seeing is not None:
            found = found.masked_fill(~seeing, 0)
        return self.W_O(found.movedim(1, 2).flatten(2)), None
