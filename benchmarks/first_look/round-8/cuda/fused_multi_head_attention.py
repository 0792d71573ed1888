# %% wrong: the mask turned round
# Hands on ~mask, as for nn.MultiheadAttention, whose True means "left out": the kernel's True means "may attend".
# Shows for every mask that is not all True or None.

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
            x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x in (self.W_Q(query), self.W_K(key), self.W_V(value))
        )
        if mask is not None:
            mask = ~mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).flatten(2)), None

# %% wrong: an axis for the heads at place 1 of every mask
# mask.unsqueeze(1) is right for (B, T, S) only. A mask of shape (T, S), such as a causal one, becomes (T, 1, S) and is
# taken for one of T heads: an error, or where T equals the number of heads, a wrong output.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q = attention.W_Q
        self.W_K = attention.W_K
        self.W_V = attention.W_V
        self.W_O = attention.W_O

    def heads(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        return x.reshape(B, T, self.num_heads, D // self.num_heads).transpose(1, 2)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = self.heads(self.W_Q(query)), self.heads(self.W_K(key)), self.heads(self.W_V(value))
        if mask is not None:
            mask = mask.unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).reshape(query.shape)), None

# %% wrong: scaled once more by hand
# The query is divided by sqrt(d) as in the attention of before, and the kernel divides again: the scores are
# too small for every head of more than one feature.

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
        B, T, D = query.shape
        d_head = D // self.num_heads
        q = self.W_Q(query).reshape(B, T, self.num_heads, d_head).transpose(1, 2) / d_head**0.5
        k = self.W_K(key).reshape(B, -1, self.num_heads, d_head).transpose(1, 2)
        v = self.W_V(value).reshape(B, -1, self.num_heads, d_head).transpose(1, 2)
        if mask is not None:
            mask = mask.expand(B, T, key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).reshape(B, T, D)), None

# %% wrong: the old module is kept as a part
# self.attention = attention registers the old module too: each weight stands in the state_dict twice, as W_Q.weight and
# as attention.W_Q.weight, so that a checkpoint of the one does not fit the other. Shows for every attention.

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
        q = self.W_Q(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = self.W_K(key).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        v = self.W_V(value).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).flatten(2)), None

# %% correct: heads beside the batch in one axis

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
        batch, length, h = query.shape[0], query.shape[1], self.num_heads

        def folded(x: Tensor) -> Tensor:
            """(B, L, D) -> (h B, L, D / h), head by head."""
            return torch.cat(x.chunk(h, dim=-1), dim=0)

        allowed = None
        if mask is not None:
            allowed = mask.broadcast_to(batch, length, key.shape[1]).repeat(h, 1, 1)
        together = F.scaled_dot_product_attention(
            folded(self.W_Q(query)), folded(self.W_K(key)), folded(self.W_V(value)), attn_mask=allowed
        )
        return self.W_O(torch.cat(together.chunk(h, dim=0), dim=-1)), None

# %% correct: permuted views, and a mask that is added

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        vars(self).update(num_heads=attention.num_heads)
        self._modules.update({name: getattr(attention, name) for name in ("W_Q", "W_K", "W_V", "W_O")})

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        q, k, v = (x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3) for x in (q, k, v))
        added = None
        if mask is not None:
            full = mask[(None,) * (3 - mask.dim())]  # (B or 1, T or 1, S or 1)
            added = torch.zeros_like(full, dtype=q.dtype).masked_fill(~full, float("-inf"))[:, None]
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        return self.W_O(mixed.permute(0, 2, 1, 3).reshape(*query.shape[:2], -1)), None
