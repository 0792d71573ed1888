# %% wrong: the head axis goes into every mask at place 1
# Right for a mask (B, T, S). A mask (T, S) becomes (T, 1, S), whose first axis is then taken for the heads.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q = attention.W_Q
        self.W_K = attention.W_K
        self.W_V = attention.W_V
        self.W_O = attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(merge_heads(heads)), None


# %% wrong: the old module is kept whole
# The maps are shared, but as self.attention.W_Q and so on: the names in the state_dict are others, and no checkpoint fits.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.num_heads = attention.num_heads

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        a = self.attention
        q, k, v = (
            split_heads(linear(x), self.num_heads)
            for linear, x in ((a.W_Q, query), (a.W_K, key), (a.W_V, value))
        )
        if mask is not None:
            while mask.dim() < 3:
                mask = mask.unsqueeze(0)
            mask = mask.unsqueeze(1)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return a.W_O(merge_heads(output)), None


# %% wrong: the boolean mask is made a float
# A float mask is added to the scores: the places that may be seen get 1 more, and nothing is hidden.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        B, T, D = query.shape
        S = key.shape[1]
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.expand(B, T, S).unsqueeze(1).to(q.dtype)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.0)
        return self.W_O(merge_heads(out)), None


# %% wrong: the weights are copied over
# New linear maps are filled with load_state_dict: equal numbers, but not shared, so training one does not change the other.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        d_model = attention.W_Q.in_features
        self.num_heads = attention.num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        self.load_state_dict(attention.state_dict())

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q = split_heads(self.W_Q(query), self.num_heads)
        k = split_heads(self.W_K(key), self.num_heads)
        v = split_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        out = F.scaled_dot_product_attention(q, k, v, mask)
        return self.W_O(merge_heads(out)), None


# %% wrong: every mask is called causal
# Because the flash kernel takes only the causal mask, a mask is replaced by is_causal=True; what it says is not read.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        for name in ("num_heads", "W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, getattr(attention, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        Q = split_heads(self.W_Q(query), self.num_heads)
        K = split_heads(self.W_K(key), self.num_heads)
        V = split_heads(self.W_V(value), self.num_heads)
        heads = F.scaled_dot_product_attention(Q, K, V, is_causal=mask is not None)
        return self.W_O(merge_heads(heads)), None


# %% correct: heads by unflatten, mask by broadcast_to

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name, child in attention.named_children():
            if name in {"W_Q", "W_K", "W_V", "W_O"}:
                self.add_module(name, child)

    def _heads(self, linear, x):
        return linear(x).unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        allowed = None
        if mask is not None:
            allowed = torch.broadcast_to(mask, (query.size(0), query.size(1), key.size(1)))[:, None]
        blended = F.scaled_dot_product_attention(
            self._heads(self.W_Q, query), self._heads(self.W_K, key), self._heads(self.W_V, value), attn_mask=allowed
        )
        return self.W_O(blended.movedim(1, -2).flatten(-2)), None


# %% correct: heads joined with the batch

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q, self.W_K = attention.W_Q, attention.W_K
        self.W_V, self.W_O = attention.W_V, attention.W_O

    def _fold(self, x):
        B, length, D = x.shape
        x = x.view(B, length, self.num_heads, D // self.num_heads).transpose(1, 2)
        return x.reshape(B * self.num_heads, length, -1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        B, T, D = query.shape
        S, H = key.shape[1], self.num_heads
        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(H, dim=0)  # (B * H, T, S)
        folded = (self._fold(x) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        out = F.scaled_dot_product_attention(*folded, attn_mask=mask)  # (B * H, T, d)
        side_by_side = torch.cat(out.view(B, H, T, D // H).unbind(dim=1), dim=-1)
        return self.W_O(side_by_side), None
