# %% wrong: a mask for the first call only
# "Later calls bring one token, which may look at everything." Where a later call brings several, each looks at those after
# it: wrong for pieces such as [70, 1, 60, 69].


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if self.length + T > len(self.model.positions.weight):
            raise ValueError("the window is full")
        mask = causal_mask(T).to(tokens.device) if self.length == 0 else None
        x = self.model.token_embedding(tokens) + self.model.positions.weight[self.length : self.length + T]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.length:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: keys and values kept before they are split
# Keeps W_K(x) and W_V(x) as (B, length, D) and splits at every call: the logits are right, but keys and values are
# promised as (B, H, length, D / H), and whoever cuts axis 2 (section 7.9) cuts features. Wrong at every call.


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        end = self.length + T
        if end > len(self.model.positions.weight):
            raise ValueError("the window is full")
        mask = causal_mask(end)[self.length :].to(tokens.device)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[self.length : end]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            k, v = attention.W_K(normed), attention.W_V(normed)
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=1)
                v = torch.cat([self.values[i], v], dim=1)
            self.keys[i], self.values[i] = k, v
            heads = [split_heads(part, attention.num_heads) for part in (attention.W_Q(normed), k, v)]
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(*heads, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = end
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the past lies in the model's layers
# Keys and values are attributes of the model's attention, so two caches of one model overwrite each other: wrong where
# their calls alternate, a(first), b(first), a(second).


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        start, end = self.length, self.length + tokens.shape[1]
        if end > self.model.positions.weight.shape[0]:
            raise ValueError("the window is full")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start:end]
        mask = causal_mask(end)[start:].to(tokens.device)
        for layer in self.model.layers:
            attention = layer.self_attention
            normed = layer.norm1(x)
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            k = split_heads(attention.W_K(normed), attention.num_heads)
            v = split_heads(attention.W_V(normed), attention.num_heads)
            if start > 0:
                k = torch.cat([attention.past_keys, k], dim=2)
                v = torch.cat([attention.past_values, v], dim=2)
            attention.past_keys, attention.past_values = k, v
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys = [layer.self_attention.past_keys for layer in self.model.layers]
        self.values = [layer.self_attention.past_values for layer in self.model.layers]
        self.length = end
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: counted once in every layer
# `length` grows inside the loop over the layers: right with one layer; with L layers the next call takes positions that
# lie L times too far ahead, and the window is "full" too early.


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        positions = self.model.positions.weight
        if self.length + T > len(positions):
            raise ValueError("the window is full")
        x = self.model.token_embedding(tokens) + positions[self.length : self.length + T]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            k = split_heads(attention.W_K(normed), attention.num_heads)
            v = split_heads(attention.W_V(normed), attention.num_heads)
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            self.length += T
            mask = causal_mask(k.shape[2])[-T:].to(tokens.device)
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: several new tokens are read one at a time, without a mask


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        if self.length + tokens.shape[1] > self.model.positions.weight.shape[0]:
            raise ValueError(f"{self.length} tokens read and {tokens.shape[1]} new ones: too many")
        return torch.stack([self._read(one) for one in tokens.unbind(dim=1)], dim=1)

    def _read(self, token: Tensor) -> Tensor:
        """(B,) -> (B, V)"""
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]
        for i, layer in enumerate(self.model.layers):
            part, normed = layer.self_attention, layer.norm1(x)
            query, key, value = (
                W(normed).unflatten(1, (part.num_heads, -1)).unsqueeze(2) for W in (part.W_Q, part.W_K, part.W_V)
            )  # (B, H, 1, d)
            if self.length:
                key, value = torch.cat([self.keys[i], key], 2), torch.cat([self.values[i], value], 2)
            self.keys[i], self.values[i] = key, value
            weights = ((query * key).sum(dim=3) / key.shape[3] ** 0.5).softmax(dim=2)  # (B, H, length + 1)
            x = x + part.W_O((weights.unsqueeze(3) * value).sum(dim=2).flatten(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: kept in local lists until all layers are through; old and new scores apart


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, old, new = self.model, self.length, tokens.shape[1]
        if model.positions.weight[old:].shape[0] < new:
            raise ValueError("more tokens than positions")
        place = torch.arange(old, old + new, device=tokens.device)
        x = F.embedding(tokens, model.token_embedding.weight) + F.embedding(place, model.positions.weight)
        keys, values = [], []
        for layer, old_keys, old_values in zip(model.layers, self.keys, self.values):
            attention = layer.self_attention
            r = layer.norm1(x)
            q = split_heads(attention.W_Q(r), attention.num_heads)
            k = split_heads(attention.W_K(r), attention.num_heads)
            v = split_heads(attention.W_V(r), attention.num_heads)
            ahead = place.unsqueeze(1) < place
            scores = torch.einsum("bhtd,bhsd->bhts", q, k).masked_fill(ahead, -torch.inf)
            if old_keys is not None:
                scores = torch.cat([torch.einsum("bhtd,bhsd->bhts", q, old_keys), scores], dim=3)
                k, v = torch.cat([old_keys, k], dim=2), torch.cat([old_values, v], dim=2)
            weights = F.softmax(scores * q.shape[3] ** -0.5, dim=3)
            x = x + attention.W_O(torch.einsum("bhts,bhsd->bthd", weights, v).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
            keys.append(k)
            values.append(v)
        self.keys, self.values, self.length = keys, values, old + new
        return F.linear(model.norm(x), model.token_embedding.weight)
