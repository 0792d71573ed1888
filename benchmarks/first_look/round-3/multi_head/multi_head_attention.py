# %% wrong: nothing behind the merge
# The merged heads are returned without going through W_O.
# Hint: which of the four maps does your forward never call?

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
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return merge_heads(output), weights


# %% wrong: the root of d_model
# The scores are divided by the root of d_model and not of the head's width d_model / num_heads; right for one head only.
# Hint: how wide are the vectors whose dot products these scores are?

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
        scores = q @ k.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        weights = masked_softmax(scores, mask)
        return self.W_O(merge_heads(weights @ v)), weights


# %% wrong: every mask gets a second axis
# mask.unsqueeze(1) is right for (B, T, S) and puts the heads' axis in the wrong place for a mask (T, S), such as causal_mask,
# which is broadcastable to (B, T, S) too. Hint: give it causal_mask(5) without a batch axis.

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
            split_heads(W(x), self.num_heads) for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights


# %% wrong: keys as long as queries
# B and T are read off the query and used to split keys and values as well: cross-attention with another length S fails.
# Hint: try it with five queries and seven keys.

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
        d = D // self.num_heads
        q = self.W_Q(query).view(B, T, self.num_heads, d).transpose(1, 2)
        k = self.W_K(key).view(B, T, self.num_heads, d).transpose(1, 2)
        v = self.W_V(value).view(B, T, self.num_heads, d).transpose(1, 2)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(output.transpose(1, 2).reshape(B, T, D)), weights


# %% correct: einsum, heads named by letters

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
        heads = (self.num_heads, -1)
        q = self.W_Q(query).unflatten(-1, heads)  # (B, T, H, d)
        k = self.W_K(key).unflatten(-1, heads)  # (B, S, H, d)
        v = self.W_V(value).unflatten(-1, heads)
        scores = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(q.shape[-1])
        if mask is not None:
            B, H, T, S = scores.shape
            mask = mask.expand(B, T, S)[:, None]
        weights = masked_softmax(scores, mask)
        mixed = torch.einsum("bhts,bshd->bthd", weights, v).flatten(2)
        return self.W_O(mixed), weights


# %% correct: head by head, each with its columns of W_O

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, got {num_heads} and {d_model}")
        self.num_heads = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(in_features=d_model, out_features=d_model, bias=True))

    def one_head(self, features: slice, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None):
        q = F.linear(query, self.W_Q.weight[features], self.W_Q.bias[features])
        k = F.linear(key, self.W_K.weight[features], self.W_K.bias[features])
        v = F.linear(value, self.W_V.weight[features], self.W_V.bias[features])
        found, weights = scaled_dot_product_attention(query=q, key=k, value=v, mask=mask)
        return found @ self.W_O.weight[:, features].T, weights

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        d_head = self.W_Q.out_features // self.num_heads
        total, looks = self.W_O.bias, []
        for h in range(self.num_heads):
            added, look = self.one_head(slice(h * d_head, (h + 1) * d_head), query, key, value, mask)
            total = total + added
            looks.append(look)
        return total, torch.stack(looks, dim=1)
