# %% wrong: heads merged without a transpose
# The kernel's output (B, H, T, d) is reshaped to (B, T, D) at once, so positions and heads are mixed up; the shape is right.
# Hint: which axis must stand beside d before the two can be joined?

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
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(out.reshape(query.shape)), None


# %% wrong: the mask is handed on as numbers
# A mask of floats is added to the scores, so forbidden keys get 0 and allowed ones 1 more, and nothing is masked; the kernel takes a boolean one as it is.
# Hint: what does F.scaled_dot_product_attention do with attn_mask when it is not boolean?

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
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1).to(q.dtype)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(merge_heads(out)), None


# %% wrong: only masks with three axes
# unsqueeze(1) puts the heads' axis in the right place for (B, T, S) only; a causal mask (T, S) becomes (T, 1, S), and queries are taken for heads.
# Hint: the mask is only broadcastable to (B, T, S): from which end should you count the axes?

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
        if mask is not None:
            mask = mask.unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(merge_heads(out)), None


# %% wrong: the old module is kept inside
# The maps are shared, but as attention.W_Q and so on: in the state dict they have other names, and a checkpoint does not fit both.
# Hint: compare list(module.state_dict()) before and after the change.

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
        q = split_heads(self.attention.W_Q(query), self.num_heads)
        k = split_heads(self.attention.W_K(key), self.num_heads)
        v = split_heads(self.attention.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.attention.W_O(merge_heads(out)), None


# %% correct: heads by unflatten and flatten

class FusedMultiHeadAttention(nn.Module):
    MAPS = ("W_Q", "W_K", "W_V", "W_O")

    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in self.MAPS:
            self.add_module(name, getattr(attention, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        def in_heads(mapped: Tensor) -> Tensor:
            return mapped.unflatten(2, (self.num_heads, -1)).movedim(2, 1)  # (B, H, T or S, d)

        allowed = None
        if mask is not None:
            allowed = torch.broadcast_to(mask, (query.shape[0], query.shape[1], key.shape[1]))[:, None]
        heads_out = F.scaled_dot_product_attention(
            query=in_heads(self.W_Q(query)), key=in_heads(self.W_K(key)), value=in_heads(self.W_V(value)),
            attn_mask=allowed,
        )
        return self.W_O(heads_out.movedim(1, 2).flatten(start_dim=2)), None
