# %% wrong: unsqueeze(1) whatever the mask's shape
# Right for (B, T, S). A mask (T, S) becomes (T, 1, S), whose T meets the heads, and (S,) becomes (S, 1):
# an error or a wrong mask. Shows with causal_mask(T), T = S = H included (each head gets another row).

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
# W_V reads key where it should read value. Self-attention, and cross-attention with one memory for both,
# do not show it; key and value that differ do.

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
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, key))
        )
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights

# %% wrong: minus 1e9 and a plain softmax
# A query that may look at nothing gets the same weight on every key, 1 / S, and not zeros. Shows with any
# mask that has a row of False.

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
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O(merge_heads(weights @ v)), weights

# %% wrong: heads beside the batch, the mask repeated in the other order
# The heads are folded into the batch sentence by sentence (b * H + h), the mask is repeated batch by batch
# (h * B + b). Shows where B and H are 2 or more and the sentences' masks differ, as padding masks do.

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
        q = split_heads(self.W_Q(query), H).flatten(0, 1)
        k = split_heads(self.W_K(key), H).flatten(0, 1)
        v = split_heads(self.W_V(value), H).flatten(0, 1)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = merge_heads(output.unflatten(0, (B, H)))
        return self.W_O(output), weights.unflatten(0, (B, H))

# %% correct: head by head, each adding through its own columns of W_O

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
        d = self.W_O.in_features // self.num_heads
        total, looks = self.W_O.bias, []
        for h in range(self.num_heads):
            own = slice(h * d, h * d + d)
            q, k, v = (
                F.linear(x, W.weight[own], W.bias[own])
                for x, W in ((query, self.W_Q), (key, self.W_K), (value, self.W_V))
            )
            found, look = scaled_dot_product_attention(q, k, v, mask)
            total = total + found @ self.W_O.weight[:, own].T
            looks.append(look)
        return total, torch.stack(looks, dim=1)

# %% correct: einsum over maps cut into heads

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

        def per_head(x, linear):  # (B, N, D) -> (B, H, N, d)
            maps = linear.weight.unflatten(0, (H, -1))
            return torch.einsum("bnD,hdD->bhnd", x, maps) + linear.bias.view(H, 1, -1)

        q, k, v = per_head(query, self.W_Q), per_head(key, self.W_K), per_head(value, self.W_V)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            B, T, S = scores.shape[0], scores.shape[2], scores.shape[3]
            mask = torch.broadcast_to(mask, (B, T, S))[:, None]
        weights = masked_softmax(scores, mask)
        back = self.W_O.weight.unflatten(1, (H, -1))
        output = torch.einsum("bhts,bhsd,ohd->bto", weights, v, back) + self.W_O.bias
        return output, weights
