# %% wrong: forbidden scores get -1e9
# The mask becomes numbers to add, 0 and -1e9. A query that may attend to nothing then attends evenly to
# everything: it shows for a mask with a row that is all False.

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
            if mask.ndim == 3:
                mask = mask.unsqueeze(1)
            mask = torch.zeros_like(mask, dtype=queries.dtype).masked_fill(~mask, -1e9)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: the empty rows are zeroed after W_O
# Where a query may attend to nothing the OUTPUT is set to zero, but MultiHeadAttention gives W_O's bias
# there. It shows for a mask with a row that is all False and a bias that is not zero.

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
        allowed = None
        if mask is not None:
            if mask.ndim == 3:
                mask = mask.unsqueeze(1)
            allowed = mask.any(dim=-1, keepdim=True)  # (B or 1, 1, T or 1, 1) or (T or 1, 1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, mask)
        outputs = self.W_O(merge_heads(outputs))
        if allowed is not None:
            allowed = allowed.squeeze(1) if allowed.ndim == 4 else allowed
            outputs = torch.where(allowed, outputs, torch.zeros_like(outputs))
        return outputs, None


# %% wrong: maps of its own, with the same weights
# New linear maps, into which the weights are copied. The first output is right; the maps are not
# shared, which shows in `is`, and as soon as one of the two modules is trained.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            theirs = getattr(attention, name)
            mine = nn.Linear(theirs.in_features, theirs.out_features)
            mine.load_state_dict(theirs.state_dict())
            setattr(self, name, mine.to(theirs.weight))

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
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: scaled by the root of the whole width
# The scale is given by hand, with d_model in place of a head's features. Right with one head, wrong with
# two or more.

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
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        outputs = F.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask, scale=query.shape[-1] ** -0.5
        )
        return self.W_O(merge_heads(outputs)), None


# %% correct: one more key of zeros for those who may see nothing

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
        shape = query.shape[0], 1, query.shape[1], key.shape[1]
        mask = (mask.unsqueeze(1) if mask.ndim == 3 else mask).expand(shape)
        nobody = mask.logical_not().all(dim=-1, keepdim=True)
        # the last place: key and value zero, open only where all others are shut
        outputs = F.scaled_dot_product_attention(
            queries,
            F.pad(keys, (0, 0, 0, 1)),
            F.pad(values, (0, 0, 0, 1)),
            attn_mask=torch.cat([mask, nobody], dim=-1),
        )
        return self.W_O(merge_heads(outputs)), None


# %% correct: heads on the batch axis, empty rows opened and then cleared

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, getattr(attention, name))
        self.num_heads = attention.num_heads

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        B, T, D = query.shape
        S, H = key.shape[1], self.num_heads

        def by_head(x: Tensor) -> Tensor:  # (B, L, D) -> (B * H, L, D / H)
            pieces = torch.stack(x.chunk(H, dim=2), dim=1)
            return pieces.flatten(0, 1)

        closed = None
        if mask is not None:
            mask = torch.broadcast_to(mask, (B, T, S)).repeat_interleave(H, dim=0)
            closed = ~mask.any(dim=2, keepdim=True)
            mask = mask | closed
        outputs = F.scaled_dot_product_attention(
            by_head(self.W_Q(query)), by_head(self.W_K(key)), by_head(self.W_V(value)), mask
        )
        if closed is not None:
            outputs = outputs.masked_fill(closed, 0.0)
        outputs = torch.cat(outputs.unflatten(0, (B, H)).unbind(dim=1), dim=2)
        return self.W_O(outputs), None
