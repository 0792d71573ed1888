# %% wrong: heads axis at 1 whatever the mask
# mask.unsqueeze(1) is right for (B, T, S) only: a mask (T, S), as causal_mask gives it, becomes (T, 1, S) and
# is laid along the heads: an error, or where H equals T a mask for heads in place of queries.

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


# %% wrong: the root of d_model
# Divides the scores by the root of all D features instead of the d of a head. Shows in weights and output
# for every num_heads above 1.

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
        scale = math.sqrt(q.shape[-1])
        q, k, v = split_heads(q, self.num_heads), split_heads(k, self.num_heads), split_heads(v, self.num_heads)
        scores = q @ k.transpose(-2, -1) / scale
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
            scores = scores.masked_fill(~mask, -1e9)
            weights = torch.softmax(scores, dim=-1) * mask
        return self.W_O(merge_heads(weights @ v)), weights


# %% wrong: values from the keys
# W_V is given key and not value. The same in self-attention and wherever value is key; the output is wrong
# where the two differ.

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
            mask = mask.expand(query.size(0), query.size(1), key.size(1))[:, None]
        q = split_heads(self.W_Q(query), self.num_heads)
        k, v = (split_heads(W(key), self.num_heads) for W in (self.W_K, self.W_V))
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: masks of two and three axes, none of one
# A mask (S,), broadcastable to (B, T, S) too, is made (S, 1) by unsqueeze(1): it is taken for a mask of the
# queries where T equals S, and an error where it does not.

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
        q, k, v = split_heads(self.W_Q(query), H), split_heads(self.W_K(key), H), split_heads(self.W_V(value), H)
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(0)  # (1, T, S)
            mask = mask.unsqueeze(1)  # (B, 1, T, S), for all heads
        z, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(z)), weights


# %% correct: bilinear forms by einsum

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
        H, D = self.num_heads, query.shape[2]

        def by_head(W: nn.Linear, x: Tensor) -> Tensor:
            return torch.einsum("bnf,hdf->bnhd", x, W.weight.view(H, -1, D)) + W.bias.view(H, -1)

        q, k, v = by_head(self.W_Q, query), by_head(self.W_K, key), by_head(self.W_V, value)
        scores = torch.einsum("bthd,bshd->bhts", q, k) * (D // H) ** -0.5
        allowed = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            allowed = mask.expand(query.shape[0], query.shape[1], key.shape[1])[:, None].expand_as(scores)
        top = scores.masked_fill(~allowed, -torch.inf).amax(dim=3, keepdim=True).detach()
        top = torch.where(top.isfinite(), top, torch.zeros_like(top))
        raised = (scores.masked_fill(~allowed, -torch.inf) - top).exp()
        weights = raised / raised.sum(dim=3, keepdim=True).clamp(min=0.5)  # 1 at least, or 0 in an empty row
        mixed = torch.einsum("bhts,bshd,ohd->bto", weights, v, self.W_O.weight.view(D, H, -1))
        return mixed + self.W_O.bias, weights


# %% correct: head by head, their contributions added up

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
        d = self.W_Q.out_features // self.num_heads
        if mask is not None:
            mask = torch.broadcast_to(mask, (len(query), query.shape[1], key.shape[1]))
        output, weights = self.W_O.bias, []
        for start in range(0, d * self.num_heads, d):
            q, k, v = (
                x @ W.weight[start : start + d].T + W.bias[start : start + d]
                for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
            )
            found, weight = scaled_dot_product_attention(q, k, v, mask)
            output = output + found @ self.W_O.weight[:, start : start + d].T
            weights.append(weight)
        return output, torch.stack(weights, dim=1)
