# %% wrong: every piece begins at position 0
# positions(...) adds the table's first rows to each piece. Right for the first call, wrong from the second on.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, T = self.model, tokens.shape[1]
        if self.length + T > model.positions.weight.shape[0]:
            raise ValueError("no position is left")
        x = model.positions(model.token_embedding(tokens))
        mask = causal_mask(self.length + T)[self.length :].to(x.device)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: no mask, since all that is kept lies in the past
# One new token may indeed look at everything. Of several that come at once (the prompt), each sees those after it: wrong
# wherever a piece has more than one token.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, T = self.model, tokens.shape[1]
        if self.length + T > len(model.positions.weight):
            raise ValueError("no position is left")
        x = model.token_embedding(tokens) + model.positions.weight[self.length : self.length + T]
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.length:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: counted before it is checked
# length is raised first and then compared with max_length. The ValueError comes, but leaves length too large: a shorter piece
# that would still fit is refused or gets wrong positions.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, begin = self.model, self.length
        self.length += tokens.shape[1]
        if self.length > len(model.positions.weight):
            raise ValueError("no position is left")
        x = model.token_embedding(tokens) + model.positions.weight[begin : self.length]
        mask = causal_mask(self.length)[begin:].to(x.device)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if begin:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: the triangle stands at the left
# tril() of (T, length + T) without an offset: the first new token sees key 0 only, the second keys 0 and 1. Right for the first
# call, wrong from the second on.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, T = self.model, tokens.shape[1]
        end = self.length + T
        if end > len(model.positions.weight):
            raise ValueError("no position is left")
        x = model.token_embedding(tokens) + model.positions.weight[self.length : end]
        mask = torch.ones(T, end, dtype=torch.bool, device=x.device).tril()
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = end
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% correct: one token at a time, which needs no mask

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def remember(self, kept: list, i: int, new: Tensor) -> Tensor:
        kept[i] = new if kept[i] is None else torch.cat([kept[i], new], dim=2)
        return kept[i]

    def read_one(self, token: Tensor) -> Tensor:
        model = self.model
        x = model.token_embedding(token) + model.positions.weight[self.length]  # (B, D)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (
                W(normed).unflatten(1, (attention.num_heads, -1)).unsqueeze(2)  # (B, H, 1, d)
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            keys, values = self.remember(self.keys, i, k), self.remember(self.values, i, v)
            weights = ((q * keys).sum(dim=3) / math.sqrt(q.shape[3])).softmax(dim=2)
            found = (weights.unsqueeze(3) * values).sum(dim=2)  # (B, H, d)
            x = x + attention.W_O(found.flatten(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return F.linear(model.norm(x), model.token_embedding.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        room = self.model.positions.weight.shape[0] - self.length
        if tokens.shape[1] > room:
            raise ValueError(f"{tokens.shape[1]} tokens, but room for {room}")
        return torch.stack([self.read_one(token) for token in tokens.unbind(dim=1)], dim=1)


# %% correct: past and present looked at apart, joined by their sums

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, (batch, new) = self.model, tokens.shape
        place = torch.arange(self.length, self.length + new, device=tokens.device)
        if self.length + new > len(model.positions.weight):
            raise ValueError(f"{self.length} tokens are read, {new} more do not fit")
        x = model.token_embedding(tokens) + F.embedding(place, model.positions.weight)
        keys, values = list(self.keys), list(self.values)
        later = torch.ones(new, new, dtype=torch.bool, device=tokens.device).triu(1)
        for i, layer in enumerate(model.layers):
            part = layer.self_attention
            stream = layer.norm1(x)
            q, k, v = (
                W(stream).view(batch, new, part.num_heads, -1).permute(0, 2, 1, 3)
                for W in (part.W_Q, part.W_K, part.W_V)
            )
            q = q / math.sqrt(q.shape[3])
            present = (q @ k.mT).masked_fill(later, float("-inf"))
            top = present.amax(dim=3, keepdim=True)
            if keys[i] is not None:
                past = q @ keys[i].mT
                top = torch.maximum(top, past.amax(dim=3, keepdim=True))
            raised = (present - top).exp()
            above, below = raised @ v, raised.sum(dim=3, keepdim=True)
            if keys[i] is not None:
                raised = (past - top).exp()
                above, below = above + raised @ values[i], below + raised.sum(dim=3, keepdim=True)
                k, v = torch.cat([keys[i], k], dim=2), torch.cat([values[i], v], dim=2)
            keys[i], values[i] = k, v
            x = x + part.W_O((above / below).permute(0, 2, 1, 3).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        logits = torch.einsum("btd,vd->btv", model.norm(x), model.token_embedding.weight)
        self.keys, self.values, self.length = keys, values, self.length + new
        return logits
