# %% wrong: the mask repeated for the heads, and cut in the wrong order
# The mask of the batch is repeated H times behind one another and then viewed as (B, H, T, S): copy i belongs to sentence
# i % B, but view gives it to sentence i // H. Shows with B and H above 1 and masks that differ between sentences.

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
        B, T, S = query.shape[0], query.shape[1], key.shape[1]
        q, k, v = (
            split_heads(W(x), self.num_heads)
            for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(self.num_heads, 1, 1)
            mask = mask.view(B, self.num_heads, T, S)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: values made of the keys
# W_V reads key. Key and value are the same tensor in every use of the chapter, but they need not be: with a value of its own
# the output does not depend on it.

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


# %% wrong: zeros for a query that may look at nothing
# The finished output is set to zero in rows that allow nothing, W_O's bias with it; promised is the bias. Shows with any
# mask that has an empty row (the bias of a new nn.Linear is not zero).

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
        if mask is not None and mask.dim() > 2:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.W_O(merge_heads(output))
        if mask is not None:
            looks = weights.sum(dim=(1, 3)) > 0  # (B, T)
            output = output * looks.unsqueeze(2)
        return output, weights


# %% wrong: the heads' axis put third from the end of every mask
# unsqueeze(-3) is right for (B, T, S), (B, 1, S), (1, T, S) and (T, S). A mask (S,) has no such place: IndexError.

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
            mask = mask.unsqueeze(-3)  # one mask for all heads
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% correct: every head adds its term

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
        total, weights = self.W_O.bias, []
        for h in range(self.num_heads):
            own = slice(h * d, (h + 1) * d)
            q = query @ self.W_Q.weight[own].T + self.W_Q.bias[own]
            k = key @ self.W_K.weight[own].T + self.W_K.bias[own]
            v = value @ self.W_V.weight[own].T + self.W_V.bias[own]
            found, looked = scaled_dot_product_attention(q, k, v, mask)
            total = total + found @ self.W_O.weight[:, own].T
            weights.append(looked)
        return total, torch.stack(weights, dim=1)


# %% correct: heads as part of the batch, one row of the grid each

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

        def by_head(W: nn.Linear, x: Tensor) -> Tensor:  # (B, L, D) -> (B H, L, d)
            weight, bias = W.weight.view(H, d, D), W.bias.view(H, d)
            found = torch.einsum("bld,hed->bhle", x, weight) + bias.unsqueeze(1)
            return found.flatten(0, 1)

        q, k, v = by_head(self.W_Q, query), by_head(self.W_K, key), by_head(self.W_V, value)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
        if mask is not None:
            mask = torch.broadcast_to(mask, (B, T, S)).repeat_interleave(H, dim=0)
        weights = masked_softmax(scores, mask)  # (B H, T, S)
        output = torch.bmm(weights, v).unflatten(0, (B, H))
        output = torch.einsum("bhte,ohe->bto", output, self.W_O.weight.view(D, H, d))
        return output + self.W_O.bias, weights.unflatten(0, (B, H))
