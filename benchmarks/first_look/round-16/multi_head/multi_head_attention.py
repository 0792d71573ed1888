# %% wrong: the heads' axis put in at the third place from the end
# mask.unsqueeze(-3) makes (B, 1, T, S) of (B, T, S) and is harmless for (T, S), but a mask (S,) has no such place:
# an IndexError.

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
            mask = mask.unsqueeze(-3)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: values made from the keys
# "Key and value come from elsewhere", the same elsewhere: W_V is given key, and value is never read.
# Shows wherever value is not key.

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
        asks = split_heads(self.W_Q(query), self.num_heads)
        keys, values = (split_heads(W(key), self.num_heads) for W in (self.W_K, self.W_V))
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        found, weights = scaled_dot_product_attention(asks, keys, values, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: mask repeated for the heads in the wrong order
# The batch's masks are repeated as a whole, and the result is read as (B, H): head h of sentence b gets another
# sentence's mask. Shows for B and H above 1 and a mask that differs between sentences.

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
        found, weights = scaled_dot_product_attention(
            split_heads(self.W_Q(query), H),
            split_heads(self.W_K(key), H),
            split_heads(self.W_V(value), H),
            mask,
        )
        return self.W_O(merge_heads(found)), weights


# %% wrong: each head reads its own features only
# The inputs are split before the maps, so head h projects its own d features with its own block on the diagonal of
# each matrix; but each head reads all D features. Shows for every num_heads above 1.

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
        d = query.shape[2] // self.num_heads
        outputs, weights = [], []
        for h in range(self.num_heads):
            own = slice(h * d, (h + 1) * d)
            q, k, v = (
                F.linear(x[:, :, own], W.weight[own, own], W.bias[own])
                for x, W in ((query, self.W_Q), (key, self.W_K), (value, self.W_V))
            )
            output, weight = scaled_dot_product_attention(q, k, v, mask)
            outputs.append(output)
            weights.append(weight)
        return self.W_O(torch.cat(outputs, dim=2)), torch.stack(weights, dim=1)


# %% correct: a sum with one term for each head

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
        Q, K, V = self.W_Q(query), self.W_K(key), self.W_V(value)
        d = Q.shape[2] // self.num_heads
        output, weights = self.W_O.bias, []
        for h, (q, k, v, back) in enumerate(
            zip(Q.split(d, 2), K.split(d, 2), V.split(d, 2), self.W_O.weight.split(d, 1), strict=True)
        ):
            weights.append(masked_softmax(q @ k.mT / math.sqrt(d), mask))
            output = output + weights[h] @ (v @ back.T)  # to all D features before the mean
        return output, torch.stack(weights, dim=1)


# %% correct: heads counted into the batch, maps as tensors with a heads' axis

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

    def heads(self, linear: nn.Linear, x: Tensor) -> Tensor:
        """(B, T, D) -> (B * H, T, d)."""
        weight = linear.weight.unflatten(0, (self.num_heads, -1))  # (H, d, D)
        bias = linear.bias.view(self.num_heads, 1, -1)
        return (torch.einsum("btf,hdf->bhtd", x, weight) + bias).flatten(0, 1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        B, T, S, H = query.shape[0], query.shape[1], key.shape[1], self.num_heads
        if mask is not None:
            mask = mask.broadcast_to(B, T, S).repeat_interleave(H, dim=0)
        found, weights = scaled_dot_product_attention(
            self.heads(self.W_Q, query), self.heads(self.W_K, key), self.heads(self.W_V, value), mask
        )
        found, weights = found.unflatten(0, (B, H)), weights.unflatten(0, (B, H))
        back = self.W_O.weight.unflatten(1, (H, -1))  # (D, H, d)
        return torch.einsum("bhtd,ohd->bto", found, back) + self.W_O.bias, weights
