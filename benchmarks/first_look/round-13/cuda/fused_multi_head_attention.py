# %% wrong: every mask gets an axis in its second place
# unsqueeze(1) suits a mask of three axes. A mask (T, S) becomes (T, 1, S), whose first axis meets the heads: an error
# where T differs from H, and the wrong mask where they are equal.


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
        if mask is not None:
            mask = mask.unsqueeze(1)
            nothing = ~mask.any(dim=-1, keepdim=True)
            outputs = F.scaled_dot_product_attention(queries, keys, values, mask | nothing)
            outputs = outputs.masked_fill(nothing, 0.0)
        else:
            outputs = F.scaled_dot_product_attention(queries, keys, values)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: the old attention is kept as a part
# The module holds the whole MultiHeadAttention beside its four maps, so the state dict has every weight twice, as
# W_Q.weight and attention.W_Q.weight: a file of the weights no longer fits.


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
        if mask is None:
            outputs = F.scaled_dot_product_attention(queries, keys, values)
        else:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            seen = mask.any(dim=-1, keepdim=True)
            outputs = F.scaled_dot_product_attention(
                queries, keys, values, attn_mask=mask | ~seen
            )
            outputs = torch.where(seen, outputs, 0.0)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: a large negative number in place of the mask
# Forbidden scores get the lowest number of the dtype. A query that may attend to nothing then has the same score
# everywhere and gets the mean of all values, where the original gives W_O's bias.


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
        bias = None
        if mask is not None:
            lowest = torch.finfo(queries.dtype).min
            bias = torch.zeros(mask.shape, dtype=queries.dtype, device=queries.device)
            bias = bias.masked_fill(~mask, lowest)
            if bias.dim() == 3:
                bias = bias.unsqueeze(1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: zeros behind the last map
# Queries that may attend to nothing are set to zero after W_O and not before it. The original gives them W_O's bias:
# shows for an empty row of the mask with a bias that is not zero.


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
        if mask.dim() == 2:
            mask = mask.unsqueeze(0)
        nothing = ~mask.any(dim=-1, keepdim=True)  # (B or 1, T or 1, 1)
        outputs = F.scaled_dot_product_attention(
            queries, keys, values, (mask | nothing).unsqueeze(1)
        )
        return self.W_O(merge_heads(outputs)).masked_fill(nothing, 0.0), None


# %% correct: the heads in the batch, and an additive mask


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for letter in "QKVO":
            self.add_module(f"W_{letter}", attention.get_submodule(f"W_{letter}"))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        (B, T, D), S, H = query.shape, key.shape[1], self.num_heads

        def fold(x: Tensor) -> Tensor:  # (B, L, D) -> (B * H, L, d)
            return x.reshape(B, -1, H, D // H).transpose(1, 2).flatten(0, 1)

        q, k, v = fold(self.W_Q(query)), fold(self.W_K(key)), fold(self.W_V(value))
        bias = seen = None
        if mask is not None:
            allowed = torch.broadcast_to(mask, (B, T, S))
            seen = allowed.any(dim=2, keepdim=True)
            # a row without keys may look at all of them, and is wiped afterwards
            bias = torch.zeros(B, T, S, dtype=q.dtype, device=q.device)
            bias = bias.masked_fill(~allowed & seen, float("-inf"))
            bias = bias.repeat_interleave(H, dim=0)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        mixed = mixed.unflatten(0, (B, H)).permute(0, 2, 1, 3).reshape(B, T, D)
        if seen is not None:
            mixed = mixed.masked_fill(~seen, 0.0)
        return self.W_O(mixed), None


# %% correct: one more key, of zeros, that only lonely queries see


class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            attention.W_Q,
            attention.W_K,
            attention.W_V,
            attention.W_O,
        )

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        heads = (self.num_heads, -1)
        queries = self.W_Q(query).unflatten(2, heads).transpose(1, 2)
        keys = self.W_K(key).unflatten(2, heads).transpose(1, 2)
        values = self.W_V(value).unflatten(2, heads).transpose(1, 2)
        allowed = None
        if mask is not None:
            # place S: a key and a value of zeros, for the queries that may attend to nothing else
            keys, values = F.pad(keys, (0, 0, 0, 1)), F.pad(values, (0, 0, 0, 1))
            full = mask.expand(query.shape[0], query.shape[1], key.shape[1])
            alone = full.logical_not().all(dim=2, keepdim=True)
            allowed = torch.cat([full, alone], dim=2)[:, None]
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed)
        return self.W_O(outputs.transpose(1, 2).flatten(2)), None
