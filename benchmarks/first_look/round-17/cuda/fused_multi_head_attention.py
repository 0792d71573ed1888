# %% wrong: the old module kept inside
# self.attention is registered as a submodule next to its maps, so state_dict has every weight under a second name
# (attention.W_Q.weight): a file of the MultiHeadAttention's weights no longer fits.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
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
        if mask is not None:
            if mask.ndim == 3:
                mask = mask.unsqueeze(1)
            nothing = ~mask.any(dim=-1, keepdim=True)
            outputs = F.scaled_dot_product_attention(queries, keys, values, mask | nothing)
            outputs = outputs.masked_fill(nothing, 0.0)
        else:
            outputs = F.scaled_dot_product_attention(queries, keys, values)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: minus a billion added to the scores
# The mask becomes numbers of -1e9, so a query that may attend to nothing has equal chances everywhere: its output is made
# of the mean of the values, where W_O's bias alone is asked for.

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
        bias = None
        if mask is not None:
            bias = torch.zeros(mask.shape, dtype=query.dtype, device=mask.device)
            bias = bias.masked_fill(~mask, -1e9)
            if bias.ndim == 3:
                bias = bias.unsqueeze(1)  # for all heads
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: a mask of two axes taken for the causal one
# Sets is_causal for every (T, S) mask. Shows for a mask of two axes that is not causal, such as (1, S) with some keys
# hidden.

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
        if mask is not None and mask.ndim == 2:
            outputs = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        elif mask is not None:
            nothing = ~mask.any(dim=2, keepdim=True)
            outputs = F.scaled_dot_product_attention(queries, keys, values, (mask | nothing).unsqueeze(1))
            outputs = outputs.masked_fill(nothing.unsqueeze(1), 0)
        else:
            outputs = F.scaled_dot_product_attention(queries, keys, values)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: zero after the last map
# A query that may attend to nothing gets an output of zero, because it is cleared after W_O: the MultiHeadAttention gives
# W_O's bias there.

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
        if mask is None:
            outputs = F.scaled_dot_product_attention(queries, keys, values)
            return self.W_O(merge_heads(outputs)), None
        some = mask.any(dim=-1, keepdim=True)  # (T, 1) or (B, T, 1)
        heads_mask = (mask | ~some).expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=heads_mask)
        return torch.where(some, self.W_O(merge_heads(outputs)), 0.0), None


# %% correct: the mask brought to four axes, empty rows opened and then cleared

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
            for project, x in zip((self.W_Q, self.W_K, self.W_V), (query, key, value), strict=True)
        )
        if mask is None:
            mask = queries.new_ones(1, 1, dtype=torch.bool)
        mask = mask.broadcast_to(query.shape[0], query.shape[1], key.shape[1])[:, None]
        lost = mask.logical_not().all(dim=3, keepdim=True)
        heads = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask.logical_or(lost))
        return self.W_O(merge_heads(torch.where(lost, torch.zeros_like(heads), heads))), None


# %% correct: numbers of minus infinity in place of the mask, and batch and heads in one axis

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
        B, T, D = query.shape
        H, S = self.num_heads, key.shape[1]
        q = split_heads(self.W_Q(query), H).reshape(B * H, T, D // H)
        k = split_heads(self.W_K(key), H).reshape(B * H, S, D // H)
        v = split_heads(self.W_V(value), H).reshape(B * H, S, D // H)
        if mask is None:
            heads = F.scaled_dot_product_attention(q, k, v)
        else:
            allowed = mask.expand(B, T, S).repeat_interleave(H, dim=0)
            some = allowed.any(dim=2, keepdim=True)
            added = torch.zeros(B * H, T, S, dtype=q.dtype, device=q.device)
            added.masked_fill_(some & ~allowed, float("-inf"))
            heads = F.scaled_dot_product_attention(q, k, v, added) * some
        return self.W_O(merge_heads(heads.view(B, H, T, D // H))), None
