# %% wrong: scaled twice
# The queries are divided by sqrt(d) as in chapter 05, and the kernel divides once more: other outputs for every input with d > 1.

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
        def split(x: Tensor) -> Tensor:
            return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        q, k, v = split(self.W_Q(query)), split(self.W_K(key)), split(self.W_V(value))
        if mask is not None:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        output = F.scaled_dot_product_attention(q / q.shape[-1] ** 0.5, k, v, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).flatten(-2)), None


# %% wrong: a mask is taken for the causal one
# is_causal wherever a mask is given: right for the language model, wrong for every padding mask, and for a causal mask with S > T.

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
        q = self.W_Q(query).view(B, T, self.num_heads, -1).transpose(1, 2)
        k = self.W_K(key).view(B, S, self.num_heads, -1).transpose(1, 2)
        v = self.W_V(value).view(B, S, self.num_heads, -1).transpose(1, 2)
        output = F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)
        return self.W_O(output.transpose(1, 2).reshape(B, T, -1)), None


# %% wrong: the old module is kept inside the new one
# As self.attention it is a submodule: state_dict() has every map twice, under "attention.W_Q.weight" too, and a checkpoint of the model
# before does not fit.

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
        batch, length, _ = query.shape
        heads = [
            x.view(batch, x.shape[1], self.num_heads, -1).transpose(1, 2)
            for x in (self.W_Q(query), self.W_K(key), self.W_V(value))
        ]
        if mask is not None:
            mask = torch.broadcast_to(mask, (batch, length, key.shape[1]))[:, None]
        output = F.scaled_dot_product_attention(*heads, attn_mask=mask)
        return self.W_O(output.transpose(1, 2).reshape(batch, length, -1)), None


# %% wrong: the axis of the heads goes to place 1 of every mask
# Right for (B, T, S). A mask (T, S), such as the causal one, becomes (T, 1, S): an error, or the queries' rows taken for heads.

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
        B, T, _ = query.shape
        S = key.shape[1]
        q = self.W_Q(query).reshape(B, T, self.num_heads, -1).transpose(1, 2)
        k = self.W_K(key).reshape(B, S, self.num_heads, -1).transpose(1, 2)
        v = self.W_V(value).reshape(B, S, self.num_heads, -1).transpose(1, 2)
        if mask is not None:
            mask = mask.unsqueeze(1)  # (B, 1, T, S)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (B, H, T, d)
        return self.W_O(output.transpose(1, 2).reshape(B, T, -1)), None


# %% correct: heads cut off as chunks, stacked, and put side by side again

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
        projected = (self.W_Q(query), self.W_K(key), self.W_V(value))
        q, k, v = (torch.stack(x.tensor_split(self.num_heads, dim=2), dim=1) for x in projected)
        if mask is not None:
            while mask.dim() < 3:
                mask = mask[None]
            mask = mask.expand(-1, query.shape[1], key.shape[1])[:, None]
        each = F.scaled_dot_product_attention(q, k, v, mask).unbind(1)
        return self.W_O(torch.cat(each, dim=2)), None


# %% correct: the mask as zeros and minus infinities that are added, the heads by unfold

class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        maps = {name: child for name, child in attention.named_children() if name in {"W_Q", "W_K", "W_V", "W_O"}}
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, maps[name])

    def _heads(self, through: nn.Module, x: Tensor) -> Tensor:
        y = through(x)
        width = y.shape[-1] // self.num_heads
        return y.unfold(-1, width, width).movedim(-2, -3)  # (B, H, T, d)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        q, k, v = map(self._heads, (self.W_Q, self.W_K, self.W_V), (query, key, value))
        added = None
        if mask is not None:
            allowed = mask.broadcast_to(query.shape[0], query.shape[1], key.shape[1])
            added = q.new_zeros(allowed.shape).masked_fill(allowed.logical_not(), float("-inf"))
            added = added.view(query.shape[0], 1, query.shape[1], key.shape[1])
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=added, dropout_p=0.0)
        return self.W_O(output.movedim(-3, -2).flatten(start_dim=-2)), None
