# %% wrong: an axis for the heads at place 1, whatever the mask
# unsqueeze(1) is right for (B, T, S); a mask (T, S) becomes (T, 1, S), which fails, or, with as
# many heads as queries, is read as one row of the mask for each head.

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
            mask = mask.unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(merge_heads(out)), None


# %% wrong: a mask of large negative numbers
# The mask is added as 0 and -1e9: a query that may attend to nothing gets the mean of all values
# instead of zeros, and so not W_O's bias.

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
            split_heads(linear(x), self.num_heads)
            for linear, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        added = None
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            added = torch.zeros(mask.shape, dtype=q.dtype, device=q.device)
            added = added.masked_fill(~mask, -1e9)
        outputs = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: keeps the module that it stands in for
# The old attention is a part too, so every weight has two names in the state_dict
# ("attention.W_Q.weight" besides "W_Q.weight"): a file of the old module's weights does not load.

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
        queries = split_heads(self.W_Q(query), self.num_heads)
        keys = split_heads(self.W_K(key), self.num_heads)
        values = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(-3)  # the same for all heads
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        if mask is not None:
            outputs = outputs.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        return self.W_O(merge_heads(outputs)), None


# %% wrong: the maps are copied
# Four new Linears with the same numbers: training one module leaves the other as it was. Shows
# after a step of an optimizer, or with `is`.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        d_model = attention.W_Q.in_features
        like = {"device": attention.W_Q.weight.device, "dtype": attention.W_Q.weight.dtype}
        self.W_Q = nn.Linear(d_model, d_model, **like)
        self.W_K = nn.Linear(d_model, d_model, **like)
        self.W_V = nn.Linear(d_model, d_model, **like)
        self.W_O = nn.Linear(d_model, d_model, **like)
        self.load_state_dict(attention.state_dict())

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


# %% correct: a key of zeros for those who may attend to nothing
# One more key, with a value of zeros, that only queries without any other may see.
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
        queries, keys, values = (
            split_heads(project(x), self.num_heads)
            for project, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            batch, length, size = len(query), query.shape[1], key.shape[1]
            mask = mask.expand(batch, length, size)
            mask = torch.cat([mask, ~mask.any(dim=2, keepdim=True)], dim=2).unsqueeze(1)
            keys, values = F.pad(keys, (0, 0, 0, 1)), F.pad(values, (0, 0, 0, 1))
        outputs = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.W_O(merge_heads(outputs)), None


# %% correct: head after head, the output map in strips
# One call of the kernel for each head; its share of W_O is added up, the bias with the first. Empty rows
# may look at everything in the kernel, and are put to zero after it.
class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name, child in attention.named_children():
            if name in ("W_Q", "W_K", "W_V", "W_O"):
                self.add_module(name, child)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        parts = [
            x.chunk(self.num_heads, dim=-1)
            for x in (self.W_Q(query), self.W_K(key), self.W_V(value))
        ]
        strips = self.W_O.weight.chunk(self.num_heads, dim=1)
        empty = None
        if mask is not None:
            empty = ~mask.any(dim=-1, keepdim=True)
            mask = (mask | empty).expand(len(query), query.shape[1], key.shape[1])
        result, bias = 0, self.W_O.bias
        for q, k, v, strip in zip(*parts, strips):
            head = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            if empty is not None:
                head = head.masked_fill(empty, 0)
            result, bias = result + F.linear(head, strip, bias), None
        return result, None
