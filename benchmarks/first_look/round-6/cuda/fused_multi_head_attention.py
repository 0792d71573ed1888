# %% wrong: every mask is taken for a causal one
# Where there is a mask, is_causal=True is asked for and the mask itself is never read: padding masks are lost.

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
            x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x in (self.W_Q(query), self.W_K(key), self.W_V(value))
        )
        # the flash kernel takes no mask but the causal one
        out = F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)
        return self.W_O(out.transpose(1, 2).flatten(2)), None


# %% wrong: the mask is added as ones and zeros
# mask.float() makes of it something to add to the scores: 1 where one may look and 0 where not, so nothing is masked.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q = attention.W_Q
        self.W_K = attention.W_K
        self.W_V = attention.W_V
        self.W_O = attention.W_O

    def _heads(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        return x.view(B, T, self.num_heads, D // self.num_heads).transpose(1, 2)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = self._heads(self.W_Q(query)), self._heads(self.W_K(key)), self._heads(self.W_V(value))
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])
            mask = mask.unsqueeze(1).to(q.dtype)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        out = out.transpose(1, 2).reshape(query.shape[0], query.shape[1], -1)
        return self.W_O(out), None


# %% wrong: the old module is kept inside the new one
# self.attention is registered too, so state_dict has every weight a second time under names like attention.W_Q.weight,
# and a checkpoint of the old module no longer fits.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.num_heads = attention.num_heads
        self.W_Q = self.attention.W_Q
        self.W_K = self.attention.W_K
        self.W_V = self.attention.W_V
        self.W_O = self.attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        batch, queries, keys = query.size(0), query.size(1), key.size(1)
        q = self.W_Q(query).view(batch, queries, self.num_heads, -1).transpose(1, 2)
        k = self.W_K(key).view(batch, keys, self.num_heads, -1).transpose(1, 2)
        v = self.W_V(value).view(batch, keys, self.num_heads, -1).transpose(1, 2)
        if mask is not None:
            mask = mask.expand(batch, queries, keys).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(out.transpose(1, 2).reshape(batch, queries, -1)), None


# %% wrong: the axis of heads always goes in at place 1
# mask.unsqueeze(1) is right for a mask of three axes; one of shape (T, S) becomes (T, 1, S) and no longer fits.

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
        def split(x):
            return x.reshape(x.shape[0], x.shape[1], self.num_heads, -1).transpose(1, 2)

        if mask is not None:
            mask = mask.unsqueeze(1)  # (B, 1, T, S): the same for all heads
        out = F.scaled_dot_product_attention(
            split(self.W_Q(query)), split(self.W_K(key)), split(self.W_V(value)), attn_mask=mask
        )
        out = out.transpose(1, 2).contiguous()
        out = out.view(out.shape[0], out.shape[1], -1)
        return self.W_O(out), None


# %% wrong: a head gets every h-th feature
# The features are unfolded as (d_head, num_heads), so head i has features i, i + h, i + 2h, ... where
# MultiHeadAttention gives it a run of neighbours.

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
        q, k, v = (
            x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)  # (B, h, T, d)
            for x in (self.W_Q(query), self.W_K(key), self.W_V(value))
        )
        if mask is not None:
            mask = mask.expand(q.shape[0], q.shape[2], k.shape[2]).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        out = out.permute(0, 2, 3, 1).flatten(-2)
        return self.W_O(out), None


# %% correct: heads cut by chunk and put together by cat

class FusedMultiHeadAttention(nn.Module):
    """Multi-head attention on somebody else's maps, its weights left inside the kernel."""

    MAPS = "W_Q", "W_K", "W_V", "W_O"

    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in self.MAPS:
            self.add_module(name, getattr(attention, name))

    def cut(self, x: Tensor) -> Tensor:
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        allowed = None
        if mask is not None:
            allowed = mask.expand(query.size(0), query.size(1), key.size(1))[:, None]
        of_heads = F.scaled_dot_product_attention(
            self.cut(self.W_Q(query)), self.cut(self.W_K(key)), self.cut(self.W_V(value)), allowed
        )
        return self.W_O(torch.cat(of_heads.unbind(dim=1), dim=-1)), None


# %% correct: batch and heads folded into one axis

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
        sequences, rows, columns, heads = len(query), query.shape[1], key.shape[1], self.num_heads

        def folded(x: Tensor) -> Tensor:
            """(B, T, D) -> (1, B * h, T, D / h)"""
            apart = torch.einsum("bthd->bhtd", x.unflatten(2, (heads, x.shape[2] // heads)))
            return apart.flatten(0, 1).unsqueeze(0)

        may_attend = None
        if mask is not None:
            may_attend = torch.broadcast_to(mask, (sequences, rows, columns)).repeat_interleave(heads, dim=0)[None]
        out = F.scaled_dot_product_attention(
            folded(self.W_Q(query)), folded(self.W_K(key)), folded(self.W_V(value)), attn_mask=may_attend
        )
        together = out.squeeze(0).unflatten(0, (sequences, heads)).movedim(1, 2).flatten(2)
        return self.W_O(together), None
