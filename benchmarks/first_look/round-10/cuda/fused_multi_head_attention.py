# %% wrong: a mask of three axes is not given an axis for the heads
# mask (B, T, S) is broadcast against (B, H, T, S) as (1, B, T, S): the batch falls on the heads. An error for most sizes; with
# B = H (two sequences, two heads) it runs, and each head gets another sequence's mask.


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
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)
        values = split_heads(self.W_V(value), self.num_heads)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: every square mask of two axes is taken for the causal one
# A mask of shape (T, T) is replaced by is_causal=True. Any other mask of that shape, as a sliding window or one that shows
# everything, is not read. Masks of three axes and those with T != S are right.


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q = attention.W_Q
        self.W_K = attention.W_K
        self.W_V = attention.W_V
        self.W_O = attention.W_O

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
        causal = mask is not None and mask.dim() == 2 and mask.shape[0] == mask.shape[1] == query.shape[1] > 1
        if causal:  # the flag lets the kernel leave out half of the scores
            outputs = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        else:
            mask = None if mask is None else mask.unsqueeze(-3)
            outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
            if mask is not None:
                outputs = outputs.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: the mask must have all its rows
# "broadcastable to (B, T, S)": reshaped to (-1, 1, T, S), which takes (T, S), (1, T, S) and (B, T, S), but for a padding mask
# (B, 1, S) or (1, S) with T > 1 it raises (or, where the numbers happen to fit, mixes rows up).


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
        if mask is not None:
            mask = mask.reshape(-1, 1, query.shape[1], key.shape[1])
        outputs = F.scaled_dot_product_attention(
            split_heads(self.W_Q(query), self.num_heads),
            split_heads(self.W_K(key), self.num_heads),
            split_heads(self.W_V(value), self.num_heads),
            attn_mask=mask,
        )
        if mask is not None:
            outputs = outputs.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: the old attention is kept as a part beside its maps
# The maps are shared "under the same names", so that a checkpoint fits both. Here state_dict() has each map twice, as W_Q.weight and
# as attention.W_Q.weight, and load_state_dict of the old attention's state raises because of missing keys. Outputs are right.


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O

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
            mask = mask.unsqueeze(-3)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        if mask is not None:
            outputs = outputs.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(outputs)), None


# %% correct: heads folded into the batch, rows without keys opened and emptied again


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, getattr(attention, name))

    def folded(self, x: Tensor) -> Tensor:
        """(B, L, D) -> (B * H, L, D / H)."""
        return split_heads(x, self.num_heads).flatten(0, 1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        batch_size, length, _ = query.shape
        inputs = self.folded(self.W_Q(query)), self.folded(self.W_K(key)), self.folded(self.W_V(value))
        if mask is None:
            outputs = F.scaled_dot_product_attention(*inputs)
        else:
            mask = mask.expand(batch_size, length, key.shape[1]).repeat_interleave(self.num_heads, dim=0)
            sees = mask.any(dim=-1, keepdim=True)
            outputs = F.scaled_dot_product_attention(*inputs, attn_mask=mask | ~sees)
            outputs = torch.where(sees, outputs, torch.zeros_like(outputs))
        return self.W_O(merge_heads(outputs.unflatten(0, (batch_size, self.num_heads)))), None


# %% correct: an empty key for the queries that may see nothing else


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
            linear(x).unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)  # (B, H, L, D / H)
            for linear, x in zip((self.W_Q, self.W_K, self.W_V), (query, key, value), strict=True)
        )
        bias = None
        if mask is not None:
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))  # one key more, of zeros, whose value is zero
            mask = mask.expand(len(query), query.shape[1], key.shape[1])
            mask = torch.cat([mask, ~mask.any(dim=-1, keepdim=True)], dim=-1)
            bias = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill(~mask, -torch.inf).unsqueeze(1)
        outputs = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.W_O(outputs.movedim(1, -2).flatten(-2)), None
