# %% wrong: heads and sentences on one axis, and the masks in another order
# The heads of sentence 0 come first, then those of sentence 1; repeat puts the masks of all sentences one after the other, H times. Where
# sentences have different masks, heads get those of other sentences.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        batch, length, memory = len(query), query.shape[1], key.shape[1]
        q = split_heads(self.W_Q(query), self.num_heads).flatten(0, 1)
        k = split_heads(self.W_K(key), self.num_heads).flatten(0, 1)
        v = split_heads(self.W_V(value), self.num_heads).flatten(0, 1)
        if mask is not None:
            mask = mask.expand(batch, length, memory).repeat(self.num_heads, 1, 1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = output.unflatten(0, (batch, self.num_heads))
        return self.W_O(merge_heads(output)), weights.unflatten(0, (batch, self.num_heads))

# %% wrong: a mask of two axes is taken for (B, S)
# A mask with two axes is (T, S), one row for each query. Here it is read as one row for each sentence: an error, or, where B equals
# T or the mask has one row, other keys than those allowed.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        if mask is not None and mask.ndim == 2:
            mask = mask[:, None, None, :]
        elif mask is not None and mask.ndim == 3:
            mask = mask[:, None]
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        q, k, v = (split_heads(x, self.num_heads) for x in (q, k, v))
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights

# %% wrong: values are made of the keys' input
# W_V reads key in place of value. In self-attention, and wherever key and value are one tensor, nothing shows; with a value
# of its own the output is wrong.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k, v = (split_heads(W(key), self.num_heads) for W in (self.W_K, self.W_V))
        if mask is not None:
            mask = mask.broadcast_to(q.shape[0], q.shape[2], k.shape[2]).unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights

# %% wrong: the features go to the heads in turn
# Head h gets the features h, h + H, h + 2H of what the maps give, where the docstring says those from h * d on. A model trained this way
# works, but the weights of its heads are others wherever H and d are both above 1.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        def heads(x: Tensor) -> Tensor:
            return x.unflatten(2, (-1, self.num_heads)).permute(0, 3, 1, 2)

        q, k, v = heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value))
        if mask is not None:
            mask = mask.expand(len(query), query.shape[1], key.shape[1])[:, None]
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        merged = output.permute(0, 2, 3, 1).flatten(2)
        return self.W_O(merged), weights

# %% correct: each head writes through its own columns of W_O

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        if mask is not None:
            mask = mask.broadcast_to(query.shape[0], query.shape[1], key.shape[1])
        q, k, v = (
            W(x).chunk(self.num_heads, dim=-1)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        columns = self.W_O.weight.chunk(self.num_heads, dim=1)
        total, looked = self.W_O.bias, []
        for h in range(self.num_heads):
            found, weights = scaled_dot_product_attention(q[h], k[h], v[h], mask)
            total = total + found @ columns[h].T
            looked.append(weights)
        return total, torch.stack(looked, dim=1)

# %% correct: products with the heads' matrices, and a softmax of its own

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def _head_maps(self, linear: nn.Linear, x: Tensor) -> Tensor:
        matrices = linear.weight.unflatten(0, (self.num_heads, -1))  # (H, d, D)
        biases = linear.bias.unflatten(0, (self.num_heads, 1, -1))  # (H, 1, d)
        return torch.einsum("btf,hdf->bhtd", x, matrices) + biases

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        q, k, v = self._head_maps(self.W_Q, query), self._head_maps(self.W_K, key), self._head_maps(self.W_V, value)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.shape[3])
        if mask is not None:
            allowed = mask.expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            empty = ~allowed.any(dim=3, keepdim=True)
            scores = scores.masked_fill(~allowed, -math.inf).masked_fill(empty, 0.0)
            weights = torch.softmax(scores, dim=3).masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=3)
        out = self.W_O.weight.unflatten(1, (self.num_heads, -1))  # (D, H, d)
        return torch.einsum("bhts,bhsd,ohd->bto", weights, v, out) + self.W_O.bias, weights
