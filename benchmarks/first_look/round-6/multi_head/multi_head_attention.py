# %% wrong: every mask gets its head axis at place one
# unsqueeze(1) is right for (B, T, S); a mask (T, S), as the causal one, becomes (T, 1, S) and falls on the wrong axes.

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


# %% wrong: the values are made from the keys
# W_V reads key in place of value: the same wherever the two are one tensor, as in all of the notebook's calls.

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
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        q, k, v = (
            split_heads(W(x), self.num_heads) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, key))
        )
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: copied from the loop with its no_grad
# The decorator of multi_head_loop came along: the numbers are right, and no gradient reaches the parameters.

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

    @torch.no_grad()
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
            mask = torch.broadcast_to(mask, (len(query), query.shape[1], key.shape[1])).unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: copies of the mask in the wrong order
# repeat lays the whole batch of masks out H times, and view deals them to other sentences; right if all masks are alike.

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
        B, T, S, H = query.shape[0], query.shape[1], key.shape[1], self.num_heads
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1).view(B, H, T, S)
        q = split_heads(self.W_Q(query), H)
        k = split_heads(self.W_K(key), H)
        v = split_heads(self.W_V(value), H)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: scaled twice
# The queries are divided by the root of d, and scaled_dot_product_attention divides the scores by it once more.

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
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
        q = split_heads(self.W_Q(query), self.num_heads) / math.sqrt(self.d_head)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.expand(len(query), q.shape[2], k.shape[2])[:, None]
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% correct: sums with names and a softmax of its own

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
        q, k, v = (
            projected.unflatten(-1, (self.num_heads, -1))  # (B, T or S, H, d)
            for projected in (self.W_Q(query), self.W_K(key), self.W_V(value))
        )
        scores = torch.einsum("bthi,bshi->bhts", q, k) * q.shape[-1] ** -0.5
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            allowed = mask.broadcast_to(scores[:, 0].shape).unsqueeze(1)
            lowest = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(~allowed, lowest).softmax(dim=-1) * allowed  # a row of nothing: zeros
        found = torch.einsum("bhts,bshi->bthi", weights, v).flatten(2)
        return self.W_O(found), weights


# %% correct: heads folded into the batch

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} features cannot be shared out to {num_heads} heads")
        self.num_heads = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def _folded(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B * H, T, d), the heads of a sentence one after the other."""
        B, T, D = x.shape
        d = D // self.num_heads
        blocks = [x[:, :, h * d : (h + 1) * d] for h in range(self.num_heads)]
        return torch.stack(blocks, dim=1).reshape(B * self.num_heads, T, d)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        B, T, S = query.shape[0], query.shape[1], key.shape[1]
        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(self.num_heads, dim=0)  # (B * H, T, S)
        found, weights = scaled_dot_product_attention(
            self._folded(self.W_Q(query)), self._folded(self.W_K(key)), self._folded(self.W_V(value)), mask
        )
        by_head = found.reshape(B, self.num_heads, T, -1).unbind(dim=1)
        return self.W_O(torch.cat(by_head, dim=2)), weights.reshape(B, self.num_heads, T, S)
