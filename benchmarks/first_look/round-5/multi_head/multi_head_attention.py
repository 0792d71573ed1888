# %% wrong: the new axis of the mask counted from the front
# unsqueeze(1) is right for a mask (B, T, S); a mask (T, S), which broadcasts too, becomes (T, 1, S): its queries meet the
# heads, an error, or silently wrong where T equals H.

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
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: the masks handed out in the wrong order
# The masks are repeated one batch after the other and then viewed as (B, H, T, S): with more than one sentence most heads
# get the mask of another sentence. Where all the masks are the same it does not show.

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
            split_heads(linear(x), self.num_heads)
            for linear, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        if mask is not None:
            B, T, S = len(query), query.shape[1], key.shape[1]
            mask = mask.expand(B, T, S).repeat(self.num_heads, 1, 1).view(B, self.num_heads, T, S)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: keys cut with the length of the queries
# B and T are read off the query and used for key and value as well: in self-attention it is right, in cross-attention
# with S unlike T view raises an error.

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
        H, d = self.num_heads, D // self.num_heads
        q = self.W_Q(query).view(B, T, H, d).transpose(1, 2)
        k = self.W_K(key).view(B, T, H, d).transpose(1, 2)
        v = self.W_V(value).view(B, T, H, d).transpose(1, 2)
        if mask is not None:
            mask = mask.expand(B, T, T).unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(output.transpose(1, 2).reshape(B, T, D)), weights


# %% wrong: one mean over the heads
# The weights are averaged over the heads before they are returned, as the module of PyTorch does by default: (B, T, S)
# in place of the weights of each head.

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
            mask = mask.expand(query.size(0), query.size(1), key.size(1))[:, None]
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(output)), weights.mean(dim=1)


# %% wrong: the bias of the last map is left out
# The merged heads are multiplied with the weight of W_O alone: its bias is there as a parameter, is never added and gets
# no gradient.

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
        if mask is not None and mask.dim() > 2:
            mask = mask.unsqueeze(-3)  # for two axes broadcasting does it
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return merge_heads(output) @ self.W_O.weight.T, weights


# %% correct: head by head with its rows of the maps

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
        width = self.W_Q.out_features // self.num_heads
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])
        output, weights = self.W_O.bias, []
        for h in range(self.num_heads):
            rows = slice(h * width, h * width + width)
            found, weight = scaled_dot_product_attention(
                F.linear(query, self.W_Q.weight[rows], self.W_Q.bias[rows]),
                F.linear(key, self.W_K.weight[rows], self.W_K.bias[rows]),
                F.linear(value, self.W_V.weight[rows], self.W_V.bias[rows]),
                mask,
            )
            output = output + found @ self.W_O.weight[:, rows].T  # the part of this head
            weights.append(weight)
        return output, torch.stack(weights, dim=1)


# %% correct: einsum over heads, the softmax by hand

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
        def mapped(linear: nn.Linear, x: Tensor) -> Tensor:
            return linear(x).unflatten(2, (self.num_heads, linear.out_features // self.num_heads))

        asks, labels, says = mapped(self.W_Q, query), mapped(self.W_K, key), mapped(self.W_V, value)
        scores = torch.einsum("bthd,bshd->bhts", asks, labels) / asks.shape[3] ** 0.5
        if mask is None:
            weights = scores.softmax(dim=3)
        else:
            forbidden = ~mask.expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            scores = scores.masked_fill(forbidden, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=3).masked_fill(forbidden, 0.0)
        found = torch.einsum("bhts,bshd->bthd", weights, says).flatten(2)
        return self.W_O(found), weights
