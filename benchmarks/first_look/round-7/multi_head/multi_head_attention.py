# %% wrong: the axis for the heads without the batch
# mask.unsqueeze(1) is right for (B, T, S) only. A causal mask (T, T) becomes (T, 1, T), its queries on the axis of the
# heads: an error where H is neither 1 nor T, and silently wrong where H == T.

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


# %% wrong: divided by the root of d_model
# The scores are divided by sqrt(D), as in the one head of chapter 04, and not by sqrt(D / H): too flat weights for
# every input as soon as H > 1.

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
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d_model)  # (B, H, T, S)
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            mask = mask.expand(len(query), query.shape[1], key.shape[1]).unsqueeze(1)
            weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
            weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
        return self.W_O(merge_heads(weights @ v)), weights


# %% wrong: the values are made from the key
# W_V gets key instead of value. Where the two are the same tensor, as in self-attention, nothing shows; with a value
# that is not the key the output is wrong (the weights are right).

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
        B, T, _ = query.shape
        S = key.shape[1]
        q, k, v = (
            split_heads(project(x), self.num_heads)
            for project, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, key))
        )
        if mask is not None:
            mask = mask.broadcast_to(B, T, S).unsqueeze(1)
        found, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(found)), weights


# %% wrong: masks of the wrong sentence
# The heads are folded into the batch, sentence by sentence, and mask.repeat puts the masks there head by head. With
# B > 1, H > 1 and masks that differ between sentences, heads get the mask of another sentence.

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
        B, T, D = query.shape
        S = key.shape[1]
        q = split_heads(self.W_Q(query), H).reshape(B * H, T, D // H)
        k = split_heads(self.W_K(key), H).reshape(B * H, S, D // H)
        v = split_heads(self.W_V(value), H).reshape(B * H, S, D // H)
        if mask is not None:
            mask = mask.expand(B, T, S).repeat(H, 1, 1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = merge_heads(output.view(B, H, T, D // H))
        return self.W_O(output), weights.view(B, H, T, S)


# %% correct: one head after the other, each through its columns of W_O

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
        width = query.shape[2] // self.num_heads
        allowed = None
        if mask is not None:
            allowed = mask.broadcast_to(query.shape[0], query.shape[1], key.shape[1])
        output, looks = self.W_O.bias, []
        for h in range(self.num_heads):
            own = torch.arange(h * width, (h + 1) * width, device=query.device)
            q, k, v = (
                x @ W.weight.index_select(0, own).T + W.bias.index_select(0, own)
                for W, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
            )
            found, look = scaled_dot_product_attention(q, k, v, allowed)
            output = output + found @ self.W_O.weight.index_select(1, own).T
            looks.append(look)
        return output, torch.stack(looks, dim=1)


# %% correct: einsum over (H, d), a softmax of its own

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
        d = query.shape[-1] // H

        def heads_of(W, x):
            return torch.einsum("bnf,hdf->bhnd", x, W.weight.unflatten(0, (H, d))) + W.bias.view(H, 1, d)

        scores = torch.einsum("bhtd,bhsd->bhts", heads_of(self.W_Q, query), heads_of(self.W_K, key)) * d**-0.5
        if mask is not None:
            allowed = torch.broadcast_to(mask, scores[:, 0].shape)[:, None].expand_as(scores)
            nothing = ~allowed.any(dim=-1, keepdim=True)
            # a row that allows nothing is given something to be soft about, and then taken to zero
            scores = scores.masked_fill(~(allowed | nothing), float("-inf"))
            weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)).masked_fill(nothing, 0.0)
        else:
            weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
        found = torch.einsum("bhts,bhsd->bthd", weights, heads_of(self.W_V, value))
        output = torch.einsum("bthd,ohd->bto", found, self.W_O.weight.unflatten(1, (H, d))) + self.W_O.bias
        return output, weights
