# %% wrong: the mask turned round
# ~mask is given: what may attend is forbidden; any mask shows it.

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
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else ~mask)
        if mask is not None:
            output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(output)), None

# %% wrong: the head axis in front
# unsqueeze(0) puts a mask (B, T, S) on the wrong axes: fails, or mixes batch and heads where B equals the heads.

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
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(0)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        if mask is not None:
            output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(output)), None

# %% wrong: copied maps
# The maps are deep copies: training the one does not change the other.

import copy


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = copy.deepcopy(attention.W_Q), copy.deepcopy(attention.W_K)
        self.W_V, self.W_O = copy.deepcopy(attention.W_V), copy.deepcopy(attention.W_O)

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
        if mask is not None:
            mask = mask.unsqueeze(-3)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        if mask is not None:
            output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(output)), None

# %% wrong: causal where there is a mask
# is_causal stands in for the mask: shows for every other mask.

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
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        output = F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)
        if mask is not None:
            output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(output)), None

# %% correct: heads by unflatten

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
        q, k, v = (
            project(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for project, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is None:
            output = F.scaled_dot_product_attention(q, k, v)
        else:
            wide = mask.expand(query.shape[0], query.shape[1], key.shape[1])[:, None]
            some = wide.any(dim=-1, keepdim=True)
            output = torch.where(some, F.scaled_dot_product_attention(q, k, v, wide | ~some), 0.0)
        return self.W_O(output.transpose(1, 2).flatten(2)), None

# %% correct: an additive mask

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
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(-3)
            added = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill(~mask, torch.finfo(q.dtype).min)
        else:
            added = None
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        if mask is not None:
            output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(output)), None

