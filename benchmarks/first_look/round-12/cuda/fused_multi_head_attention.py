# %% wrong: the mask passed on as it is
# A mask of three axes (B, T, S) meets scores (B, H, T, S): its batch axis falls on the heads.
# Shows for a mask (B, T, S) with B of 2 or more: an error, or where B = H the wrong masks.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)
        values = split_heads(self.W_V(value), self.num_heads)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None

# %% wrong: an axis for the heads in any mask
# unsqueeze(1) is right for three axes; a mask (T, S) becomes (T, 1, S), whose queries fall on the heads.
# Shows for a mask of two axes such as causal_mask(T) with T above 1: an error, or where T = H wrong outputs.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)
        values = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None

# %% wrong: copied maps
# The module has maps of its own, into which the weights are loaded: equal at first, but not shared.
# Shows when one of the two is trained or changed: the other does not follow (W_Q is not attention.W_Q).

import copy


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
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
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)
        values = split_heads(self.W_V(value), self.num_heads)
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None

# %% wrong: ones and zeros are added
# The mask is made a float, which the kernel adds to the scores: what is allowed gets one more, nothing is kept out.
# Shows for every mask that forbids a key somewhere.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)
        values = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.to(queries.dtype)
            if mask.ndim == 3:
                mask = mask[:, None]
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None

# %% correct: a mask of minus infinity

# The mask is what is added to the scores; queries that may attend to nothing are let see all, and zeroed behind.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        def heads(linear, x):
            return linear(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        q, k, v = heads(self.W_Q, query), heads(self.W_K, key), heads(self.W_V, value)
        if mask is None:
            outputs = F.scaled_dot_product_attention(q, k, v)
        else:
            allowed = mask.expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            nothing = ~allowed.any(dim=-1, keepdim=True)
            added = torch.zeros(allowed.shape, dtype=q.dtype, device=q.device)
            added = added.masked_fill(~(allowed | nothing), float("-inf"))
            outputs = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
            outputs = outputs.masked_fill(nothing, 0.0)
        return self.W_O(outputs.transpose(1, 2).flatten(2)), None

# %% correct: an empty key for those who see nothing

# One more key, of zeros and with a value of zeros, is open to the queries that may attend to nothing else.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name, child in attention.named_children():
            if name in {"W_Q", "W_K", "W_V", "W_O"}:
                self.add_module(name, child)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = (
            split_heads(getattr(self, name)(x), self.num_heads)
            for name, x in (("W_Q", query), ("W_K", key), ("W_V", value))
        )
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])
            mask = torch.cat([mask, ~mask.any(dim=2, keepdim=True)], dim=2)[:, None]
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))
        merged = merge_heads(F.scaled_dot_product_attention(q, k, v, mask))
        return self.W_O(merged), None
