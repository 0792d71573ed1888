# %% wrong: every mask gets an axis at place 1
# unsqueeze(1) is for masks of three axes. A mask (T, S) becomes (T, 1, S), whose first axis meets the heads: an
# error, or, where T equals the number of heads, another mask for each head.

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
        if mask is None:
            return self.W_O(merge_heads(F.scaled_dot_product_attention(q, k, v))), None
        allowed = mask.unsqueeze(1)
        some = allowed.any(dim=-1, keepdim=True)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed | ~some)
        output = torch.where(some, output, torch.zeros_like(output))
        return self.W_O(merge_heads(output)), None


# %% wrong: the old module is kept beside its maps
# self.attention registers all maps a second time: state_dict has W_Q.weight and attention.W_Q.weight, so a file
# of the MultiHeadAttention's weights does not load (strict) and fuse_attention changes a model's names.

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
        q, k, v = (
            split_heads(linear(x), self.num_heads)
            for linear, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is None:
            heads = F.scaled_dot_product_attention(q, k, v)
        else:
            mask = mask.unsqueeze(-3)  # (1, T, S) or (B, 1, T, S)
            nothing = ~mask.any(dim=-1, keepdim=True)
            heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask | nothing)
            heads = heads.masked_fill(nothing, 0.0)
        return self.W_O(merge_heads(heads)), None


# %% wrong: a mask to be added, with a large negative number
# -1e9 at the forbidden keys. A query that may attend to nothing has -1e9 everywhere, so its softmax is even and it
# gets the mean of all values; MultiHeadAttention gives it zero weights.

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
            split_heads(linear(x), self.num_heads)
            for linear, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        added = None
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            added = torch.zeros(mask.shape, dtype=queries.dtype, device=queries.device)
            added = added.masked_fill(~mask, -1e9)
        output = F.scaled_dot_product_attention(queries, keys, values, attn_mask=added)
        return self.W_O(merge_heads(output)), None


# %% wrong: the empty queries' zeros behind W_O
# Sets what a query that may attend to nothing gets to zero at the very end. MultiHeadAttention's zeros go through
# W_O, whose bias is left: shows for an empty row where W_O.bias is not zero.

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
        H = self.num_heads
        q, k, v = split_heads(self.W_Q(query), H), split_heads(self.W_K(key), H), split_heads(self.W_V(value), H)
        if mask is None:
            return self.W_O(merge_heads(F.scaled_dot_product_attention(q, k, v))), None
        if mask.ndim == 2:
            mask = mask.unsqueeze(0)
        empty = ~mask.any(dim=-1, keepdim=True)  # (B or 1, T or 1, 1)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=(mask | empty).unsqueeze(1))
        output = self.W_O(merge_heads(heads))
        return output.masked_fill(empty, 0.0), None


# %% correct: a key more, of zeros, for those who may attend to nothing

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
        q, k, v = (
            split_heads(linear(x), self.num_heads)
            for linear, x in zip((self.W_Q, self.W_K, self.W_V), (query, key, value), strict=True)
        )
        if mask is not None:
            B, T, S = len(query), query.shape[1], key.shape[1]
            allowed = mask.expand(B, T, S).unsqueeze(1)
            empty = allowed.logical_not().all(dim=-1, keepdim=True)
            mask = torch.cat([allowed, empty], dim=-1)  # (B, 1, T, S + 1)
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))  # the key more has a value of zeros
        return self.W_O(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))), None


# %% correct: heads folded into the batch

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for letter in "QKVO":
            self.register_module(f"W_{letter}", attention.get_submodule(f"W_{letter}"))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        (B, T, D), S, H = query.shape, key.shape[1], self.num_heads

        def fold(x: Tensor) -> Tensor:
            return x.unflatten(2, (H, D // H)).transpose(1, 2).flatten(0, 1)  # (B * H, length, d)

        reach = None
        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(H, dim=0)  # (B * H, T, S)
            reach = mask.any(dim=2, keepdim=True)
            mask = torch.where(reach, mask, torch.ones_like(mask))
        found = F.scaled_dot_product_attention(
            fold(self.W_Q(query)), fold(self.W_K(key)), fold(self.W_V(value)), attn_mask=mask
        )
        if reach is not None:
            found = found * reach
        return self.W_O(found.unflatten(0, (B, H)).transpose(1, 2).flatten(2)), None
