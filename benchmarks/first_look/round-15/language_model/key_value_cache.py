# %% wrong: a mask only for the first piece
# Where something is kept already, no mask is used, as if one token came at a time. A prompt and
# then single tokens are right; a second piece of two or more tokens sees its own future.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past, new = self.model, self.length, tokens.shape[1]
        if past + new > model.positions.weight.shape[0]:
            raise ValueError("no position is left")
        mask = causal_mask(new).to(tokens.device) if past == 0 else None
        x = model.token_embedding(tokens) + model.positions.weight[past : past + new]
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            queries = split_heads(attention.W_Q(normed), attention.num_heads)
            keys = split_heads(attention.W_K(normed), attention.num_heads)
            values = split_heads(attention.W_V(normed), attention.num_heads)
            if past:
                keys = torch.cat([self.keys[i], keys], dim=2)
                values = torch.cat([self.values[i], values], dim=2)
            self.keys[i], self.values[i] = keys, values
            out = scaled_dot_product_attention(queries, keys, values, mask)[0]
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = past + new
        return model.norm(x) @ model.token_embedding.weight.T

# %% wrong: counted before it was refused
# length grows first and is compared then, so a call that raises ValueError leaves it too large:
# the next, shorter call is refused too or takes the wrong positions. Shows after a refused call.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past = self.model, self.length
        self.length += tokens.shape[1]
        if self.length > model.positions.weight.shape[0]:
            raise ValueError(f"{self.length} tokens, and so many positions are not there")
        place = torch.arange(self.length, device=tokens.device)
        mask = place.unsqueeze(0) <= place[past:].unsqueeze(1)  # (T, length)
        x = model.token_embedding(tokens) + model.positions.weight[place[past:]]
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            queries, keys, values = (
                split_heads(project(normed), attention.num_heads)
                for project in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.keys[i] is not None:
                keys = torch.cat([self.keys[i], keys], dim=2)
                values = torch.cat([self.values[i], values], dim=2)
            self.keys[i], self.values[i] = keys, values
            out = scaled_dot_product_attention(queries, keys, values, mask)[0]
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        return F.linear(model.norm(x), model.token_embedding.weight)

# %% wrong: only the new tokens are compared with the positions
# ValueError where T alone is above max_length, not length + T. Past the end a single token
# gives logits of no rows at all, and a longer piece an error of another kind.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model = self.model
        T, past = tokens.shape[1], self.length
        if T > model.positions.weight.shape[0]:
            raise ValueError("more tokens than positions")
        x = model.token_embedding(tokens) + model.positions.weight[past : past + T]
        mask = torch.ones(T, past + T, dtype=torch.bool, device=tokens.device).tril(past)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query = split_heads(attention.W_Q(normed), attention.num_heads)
            key = split_heads(attention.W_K(normed), attention.num_heads)
            value = split_heads(attention.W_V(normed), attention.num_heads)
            self.keys[i] = key if past == 0 else torch.cat([self.keys[i], key], dim=2)
            self.values[i] = value if past == 0 else torch.cat([self.values[i], value], dim=2)
            out, _ = scaled_dot_product_attention(query, self.keys[i], self.values[i], mask)
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return model.norm(x) @ model.token_embedding.weight.T

# %% wrong: scores divided by the root of the model's width
# The attention is written out with sqrt(D) in place of sqrt(D / H). With one head it is right,
# with more the weights are too flat.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model = self.model
        start, end = self.length, self.length + tokens.shape[1]
        if end > len(model.positions.weight):
            raise ValueError("the window is full")
        allowed = torch.ones(end, end, dtype=torch.bool, device=tokens.device).tril()[start:]
        x = model.token_embedding(tokens) + model.positions.weight[start:end]
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            queries, keys, values = (
                split_heads(project(normed), attention.num_heads)
                for project in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if start > 0:
                keys = torch.cat([self.keys[i], keys], dim=2)
                values = torch.cat([self.values[i], values], dim=2)
            self.keys[i], self.values[i] = keys, values
            scores = queries @ keys.transpose(2, 3) / x.shape[-1] ** 0.5
            weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
            x = x + attention.W_O(merge_heads(weights @ values))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = end
        return model.norm(x) @ model.token_embedding.weight.T

# %% correct: token by token, so that no mask is needed

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        if self.length + tokens.shape[1] > self.model.positions.weight.shape[0]:
            raise ValueError("there are not so many positions")
        rows = [self._read(tokens[:, t : t + 1]) for t in range(tokens.shape[1])]
        return torch.cat(rows, dim=1)

    def _read(self, token: Tensor) -> Tensor:
        model = self.model
        x = model.token_embedding(token) + model.positions.weight[self.length]
        for i, layer in enumerate(model.layers):
            x = x + self._attend(i, layer.self_attention, layer.norm1(x))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return model.norm(x) @ model.token_embedding.weight.T

    def _attend(self, i: int, attention, x: Tensor) -> Tensor:
        q, k, v = (
            m(x).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
            for m in (attention.W_Q, attention.W_K, attention.W_V)
        )
        for kept, new in ((self.keys, k), (self.values, v)):
            kept[i] = new if kept[i] is None else torch.cat((kept[i], new), dim=2)
        scores = (q * self.keys[i]).sum(dim=3) * q.shape[-1] ** -0.5  # (B, H, length)
        mixed = torch.einsum("bhs,bhsd->bhd", scores.softmax(dim=2), self.values[i])
        return attention.W_O(mixed.flatten(1).unsqueeze(1))

# %% correct: the fused kernel, new lists put in place at the end

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        table = self.model.positions.weight
        places = range(self.length, self.length + tokens.size(1))
        if places.stop > table.size(0):
            raise ValueError(f"{places.stop} tokens for {table.size(0)} positions")
        hidden = self.model.token_embedding(tokens) + table[places.start : places.stop]
        numbers = torch.arange(places.stop, device=tokens.device)
        seen = numbers <= numbers[places.start :, None]
        all_keys, all_values = [], []
        for layer, old_keys, old_values in zip(self.model.layers, self.keys, self.values):
            part = layer.self_attention
            heads = part.num_heads
            x = layer.norm1(hidden)
            keys = [k for k in (old_keys, split_heads(part.W_K(x), heads)) if k is not None]
            values = [v for v in (old_values, split_heads(part.W_V(x), heads)) if v is not None]
            all_keys.append(torch.cat(keys, dim=-2))
            all_values.append(torch.cat(values, dim=-2))
            read = F.scaled_dot_product_attention(
                split_heads(part.W_Q(x), heads), all_keys[-1], all_values[-1], attn_mask=seen
            )
            hidden = hidden + part.W_O(merge_heads(read))
            hidden = hidden + layer.feed_forward(layer.norm2(hidden))
        self.keys, self.values, self.length = all_keys, all_values, places.stop
        return F.linear(self.model.norm(hidden), self.model.token_embedding.weight)
