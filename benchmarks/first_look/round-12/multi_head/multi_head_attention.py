# %% wrong: a head axis for every mask
# The mask always gets its new axis at dim 1. That fits (B, T, S). A mask (T, S) becomes (T, 1, S): an error, or the wrong rows
# where T and H happen to fit; and (S,) is an IndexError or falls on the queries.

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: the root of d_model
# The scores are divided by the root of d_model and not of d_model / num_heads: too flat for every num_heads above 1.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.d_model, self.num_heads = d_model, num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = (
            split_heads(W(x), self.num_heads)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_model)
        weights = masked_softmax(scores, mask)
        return self.W_O(merge_heads(weights @ v)), weights


# %% wrong: minus a thousand million in the forbidden places
# Fills forbidden scores with -1e9 and takes a plain softmax. A query that may look at nothing then looks at all keys alike,
# where weights of zero are promised: a mask with an empty row.

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=-1)
        return self.W_O(merge_heads(weights @ v)), weights


# %% wrong: the values are made from the keys
# W_V is applied to key, since in self-attention they are the same. It shows where value is another tensor than key.

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k, v = (split_heads(W(key), self.num_heads) for W in (self.W_K, self.W_V))
        if mask is not None and mask.ndim > 2:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% correct: head by head, each adds its own term to the output

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

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        d = self.W_O.in_features // self.num_heads
        output, looked = self.W_O.bias, []
        for begin in range(0, d * self.num_heads, d):
            rows = slice(begin, begin + d)
            q = query @ self.W_Q.weight[rows].T + self.W_Q.bias[rows]
            k = key @ self.W_K.weight[rows].T + self.W_K.bias[rows]
            v = value @ self.W_V.weight[rows].T + self.W_V.bias[rows]
            found, weights = scaled_dot_product_attention(q, k, v, mask)
            output = output + found @ self.W_O.weight[:, rows].T
            looked.append(weights)
        return output, torch.stack(looked, dim=1)


# %% correct: the heads folded into the batch, the softmax written out

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

    def fold(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B * H, T, d)"""
        return torch.cat(x.tensor_split(self.num_heads, dim=2), dim=2).unflatten(2, (self.num_heads, -1)).movedim(2, 1).flatten(0, 1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batch, length, memory = len(query), query.shape[1], key.shape[1]
        q, k, v = self.fold(self.W_Q(query)), self.fold(self.W_K(key)), self.fold(self.W_V(value))
        scores = torch.bmm(q * q.shape[2] ** -0.5, k.mT).unflatten(0, (batch, self.num_heads))
        if mask is None:
            mask = torch.ones(memory, dtype=torch.bool, device=query.device)
        may = mask.expand(batch, length, memory)[:, None]  # True = may attend
        scores = torch.where(may, scores, float("-inf"))
        top = scores.detach().amax(dim=3, keepdim=True).nan_to_num(neginf=0.0)
        raised = torch.where(may, scores - top, 0.0).exp() * may
        weights = raised / raised.sum(dim=3, keepdim=True).clamp(min=torch.finfo(raised.dtype).tiny)
        found = torch.einsum("bhts,bhsd->bthd", weights, v.unflatten(0, (batch, -1)))
        return self.W_O(found.flatten(2)), weights
