# %% wrong: masks repeated in the wrong order
# The mask is repeated as a block for each head and then read as (B, H, T, S): the order is head by head, the reading is
# sentence by sentence, so with more than one sentence a head gets another sentence's mask. The shapes always fit.
# Hint: give two sentences different masks and look which rows of weights are zero. Does the mask need to be copied at all?

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
        q, k, v = (split_heads(W(x), self.num_heads) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        if mask is not None:
            B, T, S = query.shape[0], query.shape[1], key.shape[1]
            mask = mask.expand(B, T, S).repeat(self.num_heads, 1, 1).view(B, self.num_heads, T, S)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: scores divided by the root of the whole width
# The queries are made smaller so that the scores are divided by the root of d_model instead of a head's width; every
# softmax is too flat, by the root of the number of heads.
# Hint: over how many products does one score of one head sum? Divide by the root of that number.

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
        d_model = query.shape[-1]
        d_head = d_model // self.num_heads
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        q = q * math.sqrt(d_head / d_model)  # the formula has sqrt(d_model), the function divides by sqrt(d_head)
        if mask is not None:
            mask = mask.expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: keys made from the value
# W_K is applied to value. Wherever key and value are the same tensor, as in all the models here, nothing is to be seen.
# Hint: call it with three different tensors and change only the key. Does the output move?

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
        H = self.num_heads
        q = split_heads(self.W_Q(query), H)
        k, v = split_heads(self.W_K(value), H), split_heads(self.W_V(value), H)
        if mask is not None:
            mask = mask.expand(query.size(0), query.size(1), value.size(1)).unsqueeze(1)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: weights averaged over the heads
# The output is right; of the weights it returns their mean over the heads, (B, T, S), as nn.MultiheadAttention does by
# default, where the weights of each head are asked for.
# Hint: compare the shape of what you return with the last line of the docstring.

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
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        q, k, v = (split_heads(x, self.num_heads) for x in (q, k, v))
        if mask is not None:
            B, T, _ = query.shape
            mask = mask.expand(B, T, key.shape[1])[:, None]
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights.mean(dim=1)


# %% wrong: the axis for the heads put in at 1, whatever the mask's shape
# Right for a mask (B, T, S). A causal mask (T, S), which is broadcastable to that, becomes (T, 1, S): it raises an error,
# or, where T is the number of heads, gives head h the row of query h.
# Hint: try causal_mask(5) with two sentences. From which side does broadcasting line up the axes?

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
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% correct: einsum over weights that have an axis for the heads

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
        q, k, v = self._heads(self.W_Q, query), self._heads(self.W_K, key), self._heads(self.W_V, value)
        scores = torch.einsum("bhte,bhse->bhts", q, k) / math.sqrt(q.shape[-1])
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            forbidden = ~mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
            scores = scores.masked_fill(forbidden, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1).masked_fill(forbidden, 0.0)  # a row that allows nothing gives nothing
        found = torch.einsum("bhts,bhse->bthe", weights, v)
        return self.W_O(found.flatten(2)), weights

    def _heads(self, W: nn.Linear, x: Tensor) -> Tensor:
        weight = W.weight.unflatten(0, (self.num_heads, -1))  # (H, d, D)
        bias = W.bias.unflatten(0, (self.num_heads, 1, -1))  # (H, 1, d)
        return torch.einsum("btf,hef->bhte", x, weight) + bias


# %% correct: the heads folded into the batch

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
        B, T, D = query.shape
        S, H = key.shape[1], self.num_heads
        d = D // H

        def fold(x: Tensor, length: int) -> Tensor:
            return x.reshape(B, length, H, d).transpose(1, 2).reshape(B * H, length, d)

        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(H, dim=0)  # sentence 0 for each head, sentence 1, ...
        found, weights = scaled_dot_product_attention(
            fold(self.W_Q(query), T), fold(self.W_K(key), S), fold(self.W_V(value), S), mask
        )
        merged = found.reshape(B, H, T, d).transpose(1, 2).reshape(B, T, D)
        return self.W_O(merged), weights.reshape(B, H, T, S)
