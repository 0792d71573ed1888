# %% wrong: a mask at the first call only
# Later calls are taken for single tokens and get no mask: several new tokens at a later call see each other's future. Right for a
# prompt followed by one token at a time.

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
            raise ValueError("no position left")
        x = model.token_embedding(tokens) + model.positions.weight[self.length : self.length + T]
        mask = causal_mask(T).to(tokens.device) if self.length == 0 else None
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.length > 0:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: counted before it is refused
# length grows before the check: after a ValueError it is too large, and a shorter piece that would still fit is refused or gets
# wrong positions ("and then reads nothing").

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model = self.model
        start = self.length
        self.length += tokens.shape[1]
        if self.length > model.positions.weight.shape[0]:
            raise ValueError(f"{self.length} tokens are more than the model has positions")
        x = model.token_embedding(tokens) + model.positions.weight[start : self.length]
        mask = causal_mask(self.length)[start:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            k = split_heads(attention.W_K(normed), attention.num_heads)
            v = split_heads(attention.W_V(normed), attention.num_heads)
            self.keys[i] = k if self.keys[i] is None else torch.cat([self.keys[i], k], dim=2)
            self.values[i] = v if self.values[i] is None else torch.cat([self.values[i], v], dim=2)
            found, _ = scaled_dot_product_attention(q, self.keys[i], self.values[i], mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: kept before the heads are split
# The logits are right, but keys and values hold (B, length, D) for each layer instead of (B, H, length, D / H). Shows for every
# input in the shape of cache.keys[0].

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, T = self.model, tokens.shape[1]
        total = self.length + T
        if total > model.positions.weight.shape[0]:
            raise ValueError("the window is full")
        x = model.token_embedding(tokens) + model.positions.weight[self.length : total]
        mask = causal_mask(total)[self.length :].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            k, v = attention.W_K(normed), attention.W_V(normed)
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=1)
                v = torch.cat([self.values[i], v], dim=1)
            self.keys[i], self.values[i] = k, v
            q, k, v = (split_heads(y, attention.num_heads) for y in (attention.W_Q(normed), k, v))
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: the last position is never used
# Raises ValueError where length + T equals max_length; it is promised above it only. Shows when the window is filled to the last place.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, old, new = self.model, self.length, tokens.shape[1]
        if old + new >= model.positions.weight.shape[0]:
            raise ValueError("more tokens than positions")
        x = model.token_embedding(tokens) + model.positions.weight[old : old + new]
        mask = causal_mask(old + new)[-new:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if old:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = old + new
        return model.norm(x) @ model.token_embedding.weight.T


# %% correct: token by token, so that no mask is needed

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def _one(self, token: Tensor) -> Tensor:
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]  # (B, 1, D)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                W(normed).view(len(x), attention.num_heads, 1, -1)  # one token: nothing to transpose
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            past_keys = [] if self.keys[i] is None else [self.keys[i]]
            past_values = [] if self.values[i] is None else [self.values[i]]
            self.keys[i] = torch.cat([*past_keys, k], dim=2)
            self.values[i] = torch.cat([*past_values, v], dim=2)
            scores = (q * self.keys[i]).sum(dim=3) / math.sqrt(q.shape[3])  # (B, H, length)
            found = (scores.softmax(dim=2).unsqueeze(3) * self.values[i]).sum(dim=2)  # (B, H, d)
            x = x + attention.W_O(found.view_as(x))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        left = self.model.positions.weight.shape[0] - self.length
        if tokens.shape[1] > left:
            raise ValueError(f"{tokens.shape[1]} more tokens, and {left} positions left")
        return torch.cat([self._one(token) for token in tokens.split(1, dim=1)], dim=1)


# %% correct: the past without a mask, the new ones with one

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
            raise ValueError("past the end of the table of positions")
        places = torch.arange(self.length, self.length + T, device=tokens.device)
        x = model.token_embedding(tokens) + F.embedding(places, model.positions.weight)
        future = torch.ones(T, T, dtype=torch.bool, device=tokens.device).triu(1)
        keys, values = [], []
        for layer, old_k, old_v in zip(model.layers, self.keys, self.values, strict=True):
            attention, normed = layer.self_attention, layer.norm1(x)
            q = split_heads(attention.W_Q(normed), attention.num_heads) / (x.shape[2] // attention.num_heads) ** 0.5
            k = split_heads(attention.W_K(normed), attention.num_heads)
            v = split_heads(attention.W_V(normed), attention.num_heads)
            among = torch.einsum("bhtd,bhsd->bhts", q, k).masked_fill(future, -math.inf)
            if old_k is None:
                keys.append(k)
                values.append(v)
                scores = among
            else:
                keys.append(torch.cat([old_k, k], dim=2))
                values.append(torch.cat([old_v, v], dim=2))
                scores = torch.cat([torch.einsum("bhtd,bhsd->bhts", q, old_k), among], dim=3)
            x = x + attention.W_O(merge_heads(torch.softmax(scores, dim=3) @ values[-1]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys, self.values, self.length = keys, values, self.length + T
        return torch.einsum("btd,vd->btv", model.norm(x), model.token_embedding.weight)
