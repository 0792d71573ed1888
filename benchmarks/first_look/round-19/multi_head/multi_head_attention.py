# %% wrong: takes a mask of two axes for a padding mask
# A mask (T, S) is read as (B, S), one row for each sentence. Shows for a causal mask (T, T) with B not equal to T: an error;
# with B = T the wrong keys are hidden.

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
            if mask.dim() == 2:
                mask = mask[:, None, None, :]  # padding
            elif mask.dim() == 3:
                mask = mask[:, None]
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: the keys handed out as values
# W_V is applied to key, as in self-attention where it makes no difference. Shows where value is not key.

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
        q, k, v = split_heads(self.W_Q(query), H), split_heads(self.W_K(key), H), split_heads(self.W_V(key), H)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: zeros after the last map too
# A query that may look at nothing gets an output of zeros in place of W_O's bias. Shows for a mask with an all-False row,
# such as padding of length 0.

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
        if mask is None:
            output, weights = scaled_dot_product_attention(q, k, v)
            return self.W_O(merge_heads(output)), weights
        mask = mask.expand(len(query), query.shape[1], key.shape[1])
        output, weights = scaled_dot_product_attention(q, k, v, mask.unsqueeze(1))
        output = self.W_O(merge_heads(output))
        return output.masked_fill(~mask.any(dim=2, keepdim=True), 0.0), weights


# %% wrong: heads among the sentences, masks in another order
# Sentence and head become one axis, sentence first, but the masks are repeated with the head first. Shows for B and
# num_heads of 2 or more with a mask of its own for each sentence.

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
        q = split_heads(self.W_Q(query), H).reshape(B * H, T, -1)
        k = split_heads(self.W_K(key), H).reshape(B * H, S, -1)
        v = split_heads(self.W_V(value), H).reshape(B * H, S, -1)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = merge_heads(output.view(B, H, T, -1))
        return self.W_O(output), weights.view(B, H, T, S)


# %% correct: a sum over heads of what each adds
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
        S, d = key.shape[1], D // self.num_heads
        if mask is not None:
            mask = mask.expand(B, T, S)
        total, seen = self.W_O.bias.expand(B, T, D), []
        for first in range(0, D, d):
            own = slice(first, first + d)
            q = F.linear(query, self.W_Q.weight[own], self.W_Q.bias[own])
            k = F.linear(key, self.W_K.weight[own], self.W_K.bias[own])
            v = F.linear(value, self.W_V.weight[own], self.W_V.bias[own])
            weights = masked_softmax(torch.bmm(q, k.transpose(1, 2)) / d**0.5, mask)
            total = total + torch.bmm(weights, v) @ self.W_O.weight[:, own].T
            seen.append(weights)
        return total, torch.stack(seen, dim=1)


# %% correct: one einsum after another
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
        q = self.W_Q(query).unflatten(-1, (H, -1))  # (B, T, H, d)
        k = self.W_K(key).unflatten(-1, (H, -1))
        v = self.W_V(value).unflatten(-1, (H, -1))
        scores = torch.einsum("bthd,bshd->bhts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            shape = (len(query), H, query.shape[1], key.shape[1])
            by_head = mask.reshape((1,) * (3 - mask.dim()) + tuple(mask.shape)).unsqueeze(1)
            mask = by_head.expand(shape)
        weights = masked_softmax(scores, mask)
        mixed = torch.einsum("bhts,bshd->bthd", weights, v)
        W_O = self.W_O.weight.unflatten(1, (H, -1))  # (D, H, d)
        return torch.einsum("bthd,ehd->bte", mixed, W_O) + self.W_O.bias, weights
