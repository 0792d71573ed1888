# %% wrong: the attention kept whole
# The module is stored as self.attention and its maps are read through it. The output is right, but
# the weights' names become attention.W_Q.weight and so on, and a file of weights no longer fits.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        maps, count = self.attention, self.attention.num_heads
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        found = F.scaled_dot_product_attention(
            split_heads(maps.W_Q(query), count),
            split_heads(maps.W_K(key), count),
            split_heads(maps.W_V(value), count),
            attn_mask=mask,
        )
        return maps.W_O(merge_heads(found)), None


# %% wrong: a query that may see nothing sees everything
# Against nan, a row of the mask without a True is set to all True. The query then gets the mean or
# so of all values, where the other attention gives it nothing but W_O's bias.

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
        if mask is not None:
            mask = mask | ~mask.any(dim=-1, keepdim=True)
            if mask.ndim == 3:
                mask = mask.unsqueeze(1)
        found = F.scaled_dot_product_attention(
            split_heads(self.W_Q(query), self.num_heads),
            split_heads(self.W_K(key), self.num_heads),
            split_heads(self.W_V(value), self.num_heads),
            attn_mask=mask,
        )
        return self.W_O(merge_heads(found)), None


# %% wrong: the mask as numbers
# Made float, the mask is no mask for the kernel: it is added to the scores, 1 where a query may
# attend and 0 where it may not. Every query sees all keys, for any mask that forbids something.

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
        queries, keys, values = (
            split_heads(project(x), self.num_heads)
            for project, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.to(queries.dtype)
            mask = mask.unsqueeze(1) if mask.ndim == 3 else mask
        found = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(found)), None


# %% wrong: the axis for the heads at the same place in both masks
# unsqueeze(1) is right for (B, T, S). A mask (T, S), such as the causal one, becomes (T, 1, S), in
# which the queries' axis stands where the heads' should: an error, or wrong where T is the number
# of heads.

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
        queries, keys, values = (
            split_heads(project(x), self.num_heads)
            for project, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.unsqueeze(1)
        found = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(found)), None


# %% correct: empty rows may see everything, and are then wiped

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, getattr(attention, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        in_heads = [
            project(x).unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)
            for project, x in zip((self.W_Q, self.W_K, self.W_V), (query, key, value))
        ]
        if mask is None:
            found = F.scaled_dot_product_attention(*in_heads)
        else:
            mask = mask.expand(len(query), query.shape[1], key.shape[1])[:, None]  # (B, 1, T, S)
            empty = mask.sum(dim=-1, keepdim=True) == 0
            found = F.scaled_dot_product_attention(*in_heads, attn_mask=mask.logical_or(empty))
            found = torch.where(empty, torch.zeros_like(found), found)
        return self.W_O(found.permute(0, 2, 1, 3).flatten(2)), None


# %% correct: the heads as more sentences of the batch

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O
        self.num_heads = attention.num_heads

    def folded(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B * H, 1, T, D / H)."""
        return split_heads(x, self.num_heads).flatten(0, 1).unsqueeze(1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        B, T, _ = query.shape
        allowed = torch.ones(B, T, key.shape[1], dtype=torch.bool, device=query.device)
        if mask is not None:
            allowed = allowed & mask
        some = allowed.any(dim=2)  # (B, T)
        safe = allowed | ~some.unsqueeze(2)
        found = F.scaled_dot_product_attention(
            self.folded(self.W_Q(query)),
            self.folded(self.W_K(key)),
            self.folded(self.W_V(value)),
            attn_mask=safe.repeat_interleave(self.num_heads, dim=0).unsqueeze(1),
        )
        together = merge_heads(found.squeeze(1).unflatten(0, (B, self.num_heads)))
        return self.W_O(together.masked_fill(~some.unsqueeze(2), 0)), None
