# %% wrong: the mask goes on as it is
# A mask of three axes lacks the axis of the heads: (B, T, S) is taken for (heads, T, S). Shows for every mask of
# three axes with B above 1: an error, or, where B equals num_heads, the masks of other sequences.

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
        def heads(x: Tensor) -> Tensor:
            return x.view(x.shape[0], x.shape[1], self.num_heads, -1).transpose(1, 2)

        q, k, v = heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value))
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).flatten(2)), None


# %% wrong: the mask as numbers of one and zero
# A mask of floating-point numbers is added to the scores: what may be attended to gets one more, and nothing is
# hidden. Shows for every mask that has both True and False in a row.

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
        def heads(x: Tensor) -> Tensor:
            return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        if mask is not None:
            mask = mask.to(query.dtype)
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
        output = F.scaled_dot_product_attention(
            heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value)), attn_mask=mask
        )
        return self.W_O(output.transpose(1, 2).flatten(2)), None


# %% wrong: the old module is kept inside
# The attention itself becomes a part as well, so every weight has two names in the state_dict: attention.W_Q.weight
# beside W_Q.weight. Shows when a checkpoint of the plain model is loaded: keys are missing.

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
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
        def heads(x: Tensor) -> Tensor:
            return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output = F.scaled_dot_product_attention(
            heads(self.W_Q(query)), heads(self.W_K(key)), heads(self.W_V(value)), attn_mask=mask
        )
        return self.W_O(output.transpose(1, 2).flatten(2)), None


# %% wrong: as many keys as queries
# The sizes of the query are used for key and value too. Shows where S differs from T, as in cross-attention: the
# view fails, or takes another number of features for a head.

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
        B, T, D = query.shape
        d_head = D // self.num_heads
        q = self.W_Q(query).view(B, T, self.num_heads, d_head).transpose(1, 2)
        k = self.W_K(key).view(B, T, self.num_heads, d_head).transpose(1, 2)
        v = self.W_V(value).view(B, T, self.num_heads, d_head).transpose(1, 2)
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).reshape(B, T, D)), None


# %% correct: heads cut apart and put together again

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, getattr(attention, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        inputs = ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        cut = [torch.stack(map_of(x).chunk(self.num_heads, dim=-1), dim=1) for map_of, x in inputs]
        if mask is not None:
            mask = mask.reshape(-1, 1, *mask.shape[-2:])
        heads = F.scaled_dot_product_attention(*cut, attn_mask=mask)
        return self.W_O(torch.cat(heads.unbind(dim=1), dim=-1)), None


# %% correct: the scale taken into the queries, axes by einsum

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self._modules.update({f"W_{letter}": getattr(attention, f"W_{letter}") for letter in "QKVO"})

    def _of_heads(self, x: Tensor) -> Tensor:
        return torch.einsum("bthd->bhtd", x.reshape(*x.shape[:2], self.num_heads, x.shape[2] // self.num_heads))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q = self._of_heads(self.W_Q(query))
        q = q / q.shape[-1] ** 0.5
        k, v = self._of_heads(self.W_K(key)), self._of_heads(self.W_V(value))
        allowed = None
        if mask is not None:
            allowed = mask.unsqueeze(-3)
            while allowed.dim() < 4:
                allowed = allowed.unsqueeze(0)
        mixed = F.scaled_dot_product_attention(q, k, v, allowed, 0.0, False, scale=1.0)
        joined = torch.einsum("bhtd->bthd", mixed).reshape(query.shape[0], query.shape[1], -1)
        return self.W_O(joined), None
