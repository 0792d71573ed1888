# %% wrong: every piece begins at position 0
# The new tokens go through model.positions, which always begins at row 0: the first call is right, all others are not. A good message: "after 3 tokens the next has position 3".

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
        x = model.positions(model.token_embedding(tokens))
        mask = causal_mask(self.length + T)[self.length :].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention, y = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(y), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            output, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(output))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return model.norm(x) @ model.token_embedding.weight.T

# %% wrong: no mask, since all keys are past
# True for one token at a time; where several come at once, the first of them reads the ones behind it. A good message: "token by token it is right, a piece of three is not".

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
        for i, layer in enumerate(model.layers):
            attention, y = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(y), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            output, _ = scaled_dot_product_attention(q, k, v)
            x = x + attention.W_O(merge_heads(output))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return model.norm(x) @ model.token_embedding.weight.T

# %% wrong: read first, refused afterwards
# The check stands in the layers' loop's way no more: keys and values are appended, the length is counted up, and only then is ValueError raised. A good message: "after the refused call length is 7, it was 5; it must read nothing".

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, T = self.model, tokens.shape[1]
        places = torch.arange(self.length, self.length + T, device=tokens.device)
        x = model.token_embedding(tokens) + model.positions.weight[places.clamp(max=len(model.positions.weight) - 1)]
        mask = causal_mask(self.length + T)[self.length :].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention, y = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(y), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            output, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(output))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        if self.length > len(model.positions.weight):
            raise ValueError("no position left")
        return model.norm(x) @ model.token_embedding.weight.T

# %% wrong: the mask's first rows
# causal_mask(length + T)[:T] takes the rows of the first tokens, not of the new ones: what was read before is hidden. A good message: "the new tokens have the LAST rows of the mask; the second piece sees nothing of the first".

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
        mask = causal_mask(self.length + T)[:T].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention, y = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(y), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            output, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(output))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return model.norm(x) @ model.token_embedding.weight.T

# %% correct: new caches put in place only at the end

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, read = self.model, self.length
        end = read + tokens.shape[1]
        if end > model.positions.weight.shape[0]:
            raise ValueError(f"{end} tokens, {model.positions.weight.shape[0]} positions")
        place = torch.arange(end, device=tokens.device)
        allowed = place[read:, None] >= place
        x = model.token_embedding(tokens) + model.positions.weight[read:end]
        keys, values = [], []
        for layer, old_keys, old_values in zip(model.layers, self.keys, self.values):
            part = layer.self_attention
            y = layer.norm1(x)
            rows = lambda linear: linear(y).unflatten(-1, (part.num_heads, -1)).transpose(1, 2)
            new_keys, new_values = rows(part.W_K), rows(part.W_V)
            keys.append(new_keys if old_keys is None else torch.cat([old_keys, new_keys], dim=-2))
            values.append(new_values if old_values is None else torch.cat([old_values, new_values], dim=-2))
            scores = torch.einsum("bhtd,bhsd->bhts", rows(part.W_Q), keys[-1]) / keys[-1].shape[-1] ** 0.5
            weights = scores.masked_fill(~allowed, -math.inf).softmax(dim=-1)
            x = x + part.W_O((weights @ values[-1]).transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys, self.values, self.length = keys, values, end
        return F.linear(model.norm(x), model.token_embedding.weight)

# %% correct: one token after the other inside

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        room = len(self.model.positions.weight) - self.length
        if tokens.shape[1] > room:
            raise ValueError(f"room for {room} more tokens, not for {tokens.shape[1]}")
        return torch.cat([self._one(tokens[:, t : t + 1]) for t in range(tokens.shape[1])], dim=1)

    def _one(self, token: Tensor) -> Tensor:
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]
        for number, layer in enumerate(self.model.layers):
            x = x + self._attend(number, layer.self_attention, layer.norm1(x))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return self.model.norm(x) @ self.model.token_embedding.weight.t()

    def _attend(self, number: int, attention: nn.Module, y: Tensor) -> Tensor:
        for kept, linear in ((self.keys, attention.W_K), (self.values, attention.W_V)):
            new = split_heads(linear(y), attention.num_heads)
            kept[number] = new if kept[number] is None else torch.cat((kept[number], new), dim=2)
        query = split_heads(attention.W_Q(y), attention.num_heads)
        found, _ = scaled_dot_product_attention(query, self.keys[number], self.values[number])
        return attention.W_O(merge_heads(found))
