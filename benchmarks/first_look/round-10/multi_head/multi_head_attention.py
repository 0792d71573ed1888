# %% wrong: the values are made from the key
# W_V gets `key` instead of `value`: wrong wherever the two differ; self-attention and attention(x, m, m) do not show it.

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
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: the head's axis is put second into every mask
# A mask need only be broadcastable to (B, T, S). With a causal mask (T, S), unsqueeze(1) makes (T, 1, S): an error for most
# sizes; with H = T head t gets the row of query t, with H = 1 there are T heads. Right for masks of three axes.

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
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)  # the same for all heads
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: heads in the batch, masks in the other order
# The batch is (sentence, head), and repeat lays the masks out as (head, sentence): sentence b is given masks of others.
# Shows where H > 1, B > 1 and the masks of the sentences differ; without a mask, or with the same mask for all, it is right.

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
        B, T, _ = query.shape
        S, H = key.shape[1], self.num_heads
        q = split_heads(self.W_Q(query), H).flatten(0, 1)  # (B * H, T, d)
        k = split_heads(self.W_K(key), H).flatten(0, 1)
        v = split_heads(self.W_V(value), H).flatten(0, 1)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = merge_heads(output.unflatten(0, (B, H)))
        return self.W_O(output), weights.unflatten(0, (B, H))


# %% wrong: NaN swept up at the end
# A query that may look at nothing gets NaN from the softmax, and nan_to_num comes after W_O: its output is 0 where it
# should be W_O of nothing found, that is W_O's bias. Shows only where a row of the mask is all False.

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
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            mask = mask.expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        output = self.W_O(merge_heads(weights @ v))
        return torch.nan_to_num(output), torch.nan_to_num(weights)


# %% correct: head after head, and the sum of what W_O makes of each

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
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])
        queries = self.W_Q(query).chunk(self.num_heads, dim=2)
        keys = self.W_K(key).chunk(self.num_heads, dim=2)
        values = self.W_V(value).chunk(self.num_heads, dim=2)
        columns = self.W_O.weight.chunk(self.num_heads, dim=1)
        output, weights = self.W_O.bias, []
        for q, k, v, column in zip(queries, keys, values, columns, strict=True):
            found, weight = scaled_dot_product_attention(q, k, v, mask)
            output = output + found @ column.T
            weights.append(weight)
        return output, torch.stack(weights, dim=1)


# %% correct: einsum throughout, with a softmax of its own

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
        q = self.W_Q(query).unflatten(-1, (self.num_heads, -1))  # (B, T, H, d)
        k = self.W_K(key).unflatten(-1, (self.num_heads, -1))
        v = self.W_V(value).unflatten(-1, (self.num_heads, -1))
        scores = torch.einsum("bthd,bshd->bhts", q * q.shape[-1] ** -0.5, k)
        if mask is None:
            weights = scores.softmax(dim=3)
        else:
            allowed = torch.broadcast_to(mask, (scores.shape[0], *scores.shape[2:]))[:, None]
            lowest = torch.finfo(scores.dtype).min
            top = scores.masked_fill(~allowed, lowest).amax(dim=3, keepdim=True).detach()
            raised = torch.where(allowed, scores - top, 0.0).exp() * allowed
            total = raised.sum(dim=3, keepdim=True)
            weights = raised / torch.where(total > 0, total, 1.0)
        found = torch.einsum("bhts,bshd->bthd", weights, v)
        return self.W_O(found.flatten(2)), weights
