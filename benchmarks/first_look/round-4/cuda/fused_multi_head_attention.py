# %% wrong: any mask taken for the causal one
# Where there is a mask, is_causal=True is asked for and the mask itself is dropped. For a language model that is right,
# and fast; a mask for padding, or any other, is not obeyed.
# Hint: try a mask that hides the last two keys from every query.

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
            W(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        out = F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)
        return self.W_O(out.transpose(1, 2).flatten(2)), None


# %% wrong: the old module kept inside
# Keeps the given module as a part and uses its maps through it. The output is right, but the parameters are called
# attention.W_Q.weight and so on, so a checkpoint of the plain model does not fit.
# Hint: print the names in the state_dict of both modules.

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
        def heads(x):
            return x.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

        maps = self.attention
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        out = F.scaled_dot_product_attention(
            heads(maps.W_Q(query)), heads(maps.W_K(key)), heads(maps.W_V(value)), attn_mask=mask
        )
        return maps.W_O(out.transpose(1, 2).flatten(2)), None


# %% wrong: scaled twice
# Divides the queries by the root of the head's width and hands them to the kernel, which divides once more. The output
# has the right shape and plausible numbers, with weights that are too even.
# Hint: what does F.scaled_dot_product_attention do to the scores by itself?

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
        q = self.W_Q(query).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        k = self.W_K(key).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        v = self.W_V(value).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        q = q / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(out.transpose(1, 2).flatten(2)), None


# %% wrong: the boolean mask turned into numbers
# Turns the mask into 0 and 1 of the queries' dtype. The kernel adds a mask of numbers to the scores, so what may be
# attended to gets one more, and nothing is hidden.
# Hint: what does the kernel do with a boolean mask, and what with one of floating-point numbers?

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
            W(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1).to(q.dtype)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(out.transpose(1, 2).flatten(2)), None


# %% wrong: as many keys as queries
# Cuts keys and values into heads with the length of the query. In self-attention that is the same; where a decoder
# reads a source of another length, view fails.
# Hint: try two queries and five keys.

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
        size = D // self.num_heads
        q = self.W_Q(query).view(B, T, self.num_heads, size).transpose(1, 2)
        k = self.W_K(key).view(B, T, self.num_heads, size).transpose(1, 2)
        v = self.W_V(value).view(B, T, self.num_heads, size).transpose(1, 2)
        if mask is not None:
            mask = mask.expand(B, T, T).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(out.transpose(1, 2).reshape(B, T, D)), None


# %% correct: heads by chunks, stacked and put side by side again

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        for name in ("num_heads", "W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, getattr(attention, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        heads = []
        for W, x in zip((self.W_Q, self.W_K, self.W_V), (query, key, value), strict=True):
            heads.append(torch.stack(W(x).chunk(self.num_heads, dim=2), dim=1))
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])[:, None]
        blended = F.scaled_dot_product_attention(*heads, attn_mask=mask)
        return self.W_O(torch.cat(blended.unbind(dim=1), dim=2)), None


# %% correct: the mask as minus infinity, added by the kernel

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def _by_head(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.num_heads, width // self.num_heads).permute(0, 2, 1, 3)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = self._by_head(self.W_Q(query)), self._by_head(self.W_K(key)), self._by_head(self.W_V(value))
        added = None
        if mask is not None:
            hidden = mask.logical_not().expand(query.shape[0], query.shape[1], key.shape[1])
            added = torch.zeros(hidden.shape, dtype=q.dtype, device=q.device)
            added = added.masked_fill(hidden, float("-inf")).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        return self.W_O(out.permute(0, 2, 1, 3).flatten(2)), None
