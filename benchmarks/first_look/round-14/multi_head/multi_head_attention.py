# %% wrong: the values are made from the keys
# W_V reads key. In self-attention and wherever value is key nothing shows; with a value tensor of its own the output is wrong.

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
        v = split_heads(self.W_V(key), self.num_heads)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: every mask gets an axis for the heads
# unsqueeze(1) is right for (B, T, S). A mask (T, S) becomes (T, 1, S), which is read as (heads, 1, keys): an error, or, where T == H, a mask
# of its own for each head. A mask (S,) becomes (S, 1).

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
            split_heads(W(x), self.num_heads)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: the masks are repeated in the wrong order
# repeat puts all sentences' masks one after the other, H times over, and view then reads them sentence by sentence: with B and H above 1 and
# masks that differ, a head of sentence 0 gets the mask of sentence 1.

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
        B, T, S, H = len(query), query.shape[1], key.shape[1], self.num_heads
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1).view(B, H, T, S)
        heads, weights = scaled_dot_product_attention(
            split_heads(self.W_Q(query), H),
            split_heads(self.W_K(key), H),
            split_heads(self.W_V(value), H),
            mask,
        )
        return self.W_O(merge_heads(heads)), weights


# %% wrong: divided by the root of d_model
# The queries are divided by the root of H as well, "since the paper's d is d_model": with more than one head all scores are too small and the
# weights too flat.

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
        q = split_heads(self.W_Q(query), self.num_heads) / math.sqrt(self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None and mask.dim() > 2:
            mask = mask.unsqueeze(-3)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% correct: one term of the output for each head

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
        d = query.shape[-1] // self.num_heads
        output, weights = self.W_O.bias, []
        for h in range(self.num_heads):
            own = slice(h * d, (h + 1) * d)
            q = query @ self.W_Q.weight[own].T + self.W_Q.bias[own]
            k = key @ self.W_K.weight[own].T + self.W_K.bias[own]
            v = value @ self.W_V.weight[own].T + self.W_V.bias[own]
            read, looked = scaled_dot_product_attention(q, k, v, mask)
            output = output + read @ self.W_O.weight[:, own].T
            weights.append(looked)
        return output, torch.stack(weights, dim=1)


# %% correct: heads folded into the batch, by einsum

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

    def per_head(self, linear: nn.Linear, x: Tensor) -> Tensor:
        """(B, T, D) -> (B * H, T, d)."""
        matrices = linear.weight.unflatten(0, (self.num_heads, -1))  # (H, d, D)
        found = torch.einsum("btD,hdD->bhtd", x, matrices)
        return (found + linear.bias.view(self.num_heads, 1, -1)).flatten(0, 1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        B, T, S, H = query.shape[0], query.shape[1], key.shape[1], self.num_heads
        q, k, v = self.per_head(self.W_Q, query), self.per_head(self.W_K, key), self.per_head(self.W_V, value)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(H, dim=0)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.W_O.weight.unflatten(1, (H, -1))  # (D, H, d)
        output = torch.einsum("bhtd,Dhd->btD", heads.unflatten(0, (B, H)), out) + self.W_O.bias
        return output, weights.unflatten(0, (B, H))
