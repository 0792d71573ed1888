# %% wrong: forbidden places get -1e9
# The mask becomes a float mask with -1e9. Where a query may attend to nothing all its scores are
# equally low, and it gets the mean of the values instead of the plain module's output.

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
            mask = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill(~mask, -1e9)
            mask = mask.unsqueeze(-3)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(merge_heads(out)), None

# %% wrong: the old attention is kept inside
# self.attention = attention makes it a submodule. Outputs are right, but state_dict has every weight a
# second time, as attention.W_Q.weight: a file of the plain module's weights does not fit.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
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
        if mask is not None:
            mask = mask.unsqueeze(-3)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None

# %% wrong: the heads' axis always at place 1
# mask.unsqueeze(1) is right for (B, T, S) and makes (T, 1, S) of a mask of two axes: an error, or
# where T is 1 or the number of heads (or all are alike) other places are masked.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, getattr(attention, name))

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
        outputs = F.scaled_dot_product_attention(
            queries, keys, values, None if mask is None else mask.unsqueeze(1)
        )
        return self.W_O(merge_heads(outputs)), None

# %% wrong: maps of its own with the same numbers
# The four maps are deep copies. Outputs are right on the first day; what is trained or loaded on one
# side does not reach the other, and gradients are not in the given attention's weights.

import copy


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q = copy.deepcopy(attention.W_Q)
        self.W_K = copy.deepcopy(attention.W_K)
        self.W_V = copy.deepcopy(attention.W_V)
        self.W_O = copy.deepcopy(attention.W_O)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        heads = self.num_heads
        outputs = F.scaled_dot_product_attention(
            split_heads(self.W_Q(query), heads),
            split_heads(self.W_K(key), heads),
            split_heads(self.W_V(value), heads),
            attn_mask=mask if mask is None or mask.ndim == 2 else mask.unsqueeze(1),
        )
        return self.W_O(merge_heads(outputs)), None

# %% correct: heads and batch in one axis

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.register_module(name, getattr(attention, name))

    def _lines(self, x: Tensor) -> Tensor:
        """(B, L, D) -> (B * H, L, D / H)."""
        B, L, D = x.shape
        x = x.reshape(B, L, self.num_heads, D // self.num_heads)
        return x.transpose(1, 2).reshape(B * self.num_heads, L, D // self.num_heads)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        B, T, S = query.shape[0], query.shape[1], key.shape[1]
        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(self.num_heads, dim=0)
        out = F.scaled_dot_product_attention(
            self._lines(self.W_Q(query)),
            self._lines(self.W_K(key)),
            self._lines(self.W_V(value)),
            attn_mask=mask,
        )
        out = out.reshape(B, self.num_heads, T, -1).movedim(1, 2).reshape(B, T, -1)
        return self.W_O(out), None

# %% correct: queries with nothing to read are let in and wiped afterwards

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            attention.W_Q, attention.W_K, attention.W_V, attention.W_O
        )

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        parts = (self.W_Q, query), (self.W_K, key), (self.W_V, value)
        q, k, v = (split_heads(w(x), self.num_heads) for w, x in parts)
        if mask is None:
            read = F.scaled_dot_product_attention(q, k, v)
        else:
            while mask.ndim < 4:  # (T, S) -> (1, T, S), and then the heads
                mask = mask.unsqueeze(0) if mask.ndim == 2 else mask.unsqueeze(1)
            mask = mask.expand(q.shape[0], 1, q.shape[2], k.shape[2])
            reads_nothing = ~mask.any(dim=-1, keepdim=True)
            read = F.scaled_dot_product_attention(q, k, v, attn_mask=mask | reads_nothing)
            read = read.masked_fill(reads_nothing, 0.0)
        return self.W_O(merge_heads(read)), None
