# %% wrong: the new tokens all stand at the same position
# positions.weight[length] is one row, added to every new token. Right one token at a time, wrong for a call with
# two or more.


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past, now = self.model, self.length, self.length + tokens.shape[1]
        if now > model.positions.weight.shape[0]:
            raise ValueError(f"{now} tokens do not fit")
        x = model.token_embedding(tokens) + model.positions.weight[past]
        mask = causal_mask(now)[past:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            queries = split_heads(attention.W_Q(normed), attention.num_heads)
            keys = split_heads(attention.W_K(normed), attention.num_heads)
            values = split_heads(attention.W_V(normed), attention.num_heads)
            if self.keys[i] is not None:
                keys = torch.cat([self.keys[i], keys], dim=2)
                values = torch.cat([self.values[i], values], dim=2)
            self.keys[i], self.values[i] = keys, values
            outputs, _ = scaled_dot_product_attention(queries, keys, values, mask)
            x = x + attention.W_O(merge_heads(outputs))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = now
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: the first rows of the mask and not the last
# The new tokens take the rows 0 to T - 1 of the causal mask over all tokens. Right for the first call; afterwards
# a new token at place 5 sees key 0 alone.


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        total = self.length + T
        if total > len(self.model.positions.weight):
            raise ValueError("the text is too long for the model")
        allowed = causal_mask(total).to(tokens.device)[:T]
        x = self.model.token_embedding(tokens)
        x = x + self.model.positions.weight[self.length : total]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            h = layer.norm1(x)
            q, k, v = (
                split_heads(project(h), attention.num_heads)
                for project in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.length > 0:
                k = torch.cat((self.keys[i], k), dim=2)
                v = torch.cat((self.values[i], v), dim=2)
            self.keys[i] = k
            self.values[i] = v
            out = scaled_dot_product_attention(q, k, v, allowed)[0]
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: length grows before the check
# length is counted up first and tested afterwards, so a refused call changes it: after a ValueError the cache
# says that it has read tokens that it has not, and refuses the next ones that would fit.


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        start = self.length
        self.length += tokens.shape[1]
        if self.length > self.model.positions.weight.shape[0]:
            raise ValueError(f"length {self.length} is above the model's max_length")
        x = self.model.token_embedding(tokens)
        x = x + self.model.positions.weight[start : self.length]
        mask = causal_mask(self.length)[start:].to(x.device)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            h = layer.norm1(x)
            q = split_heads(attention.W_Q(h), attention.num_heads)
            k = split_heads(attention.W_K(h), attention.num_heads)
            v = split_heads(attention.W_V(h), attention.num_heads)
            if start:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% wrong: keys and values of the stream before its norm
# norm1 is applied for the queries only; W_K and W_V read x as it is. Shows for every input, from the first token
# on.


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        past = self.length
        now = past + tokens.shape[1]
        if now > len(self.model.positions.weight):
            raise ValueError("too long")
        places = torch.arange(past, now, device=tokens.device)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[places]
        mask = places.unsqueeze(1) >= torch.arange(now, device=tokens.device)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            queries = split_heads(attention.W_Q(layer.norm1(x)), attention.num_heads)
            keys = split_heads(attention.W_K(x), attention.num_heads)
            values = split_heads(attention.W_V(x), attention.num_heads)
            if past:
                keys = torch.cat([self.keys[i], keys], dim=2)
                values = torch.cat([self.values[i], values], dim=2)
            self.keys[i], self.values[i] = keys, values
            x = x + attention.W_O(
                merge_heads(scaled_dot_product_attention(queries, keys, values, mask)[0])
            )
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = now
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% correct: one token after another, without any mask


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        room = self.model.positions.weight.shape[0] - self.length
        if tokens.shape[1] > room:
            raise ValueError(f"{tokens.shape[1]} more tokens, but room for {room}")
        return torch.stack([self._read_one(column) for column in tokens.unbind(dim=1)], dim=1)

    def _read_one(self, ids: Tensor) -> Tensor:
        model = self.model
        x = model.token_embedding(ids) + model.positions.weight[self.length]  # (B, D)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            H = attention.num_heads
            query, key, value = (
                project(normed).unflatten(1, (H, -1))  # (B, H, d)
                for project in (attention.W_Q, attention.W_K, attention.W_V)
            )
            self.keys[i] = self._longer(self.keys[i], key)
            self.values[i] = self._longer(self.values[i], value)
            scores = torch.einsum("bhd,bhsd->bhs", query, self.keys[i])
            weights = (scores * query.shape[-1] ** -0.5).softmax(dim=2)
            found = torch.einsum("bhs,bhsd->bhd", weights, self.values[i])
            x = x + attention.W_O(found.flatten(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return model.norm(x) @ model.token_embedding.weight.T

    @staticmethod
    def _longer(kept: Tensor | None, new: Tensor) -> Tensor:
        new = new.unsqueeze(2)
        return new if kept is None else torch.cat([kept, new], dim=2)


# %% correct: old keys and new keys by two softmaxes that are merged


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, (batch, new) = self.model, tokens.shape
        if self.length + new > len(model.positions.weight):
            raise ValueError(f"{self.length} read, {new} more do not fit")
        ahead = torch.ones(new, new, dtype=torch.bool, device=tokens.device).triu(1)
        rows = model.positions.weight.narrow(0, self.length, new)
        x = model.token_embedding(tokens) + rows
        all_keys, all_values = [], []
        for old_k, old_v, layer in zip(self.keys, self.values, model.layers, strict=True):
            attention = layer.self_attention
            heads = attention.num_heads
            normed = layer.norm1(x)
            width = normed.shape[2] // heads
            q, k, v = (
                f(normed).reshape(batch, new, heads, width).transpose(1, 2)
                for f in (attention.W_Q, attention.W_K, attention.W_V)
            )
            q = q / math.sqrt(width)
            scores = (q @ k.mT).masked_fill(ahead, -math.inf)
            top = scores.amax(dim=3, keepdim=True)
            if old_k is None:
                mass = (scores - top).exp()
                total, summed = mass.sum(dim=3, keepdim=True), mass @ v
                all_keys.append(k)
                all_values.append(v)
            else:
                old_scores = q @ old_k.mT
                top = torch.maximum(top, old_scores.amax(dim=3, keepdim=True))
                mass, old_mass = (scores - top).exp(), (old_scores - top).exp()
                total = mass.sum(dim=3, keepdim=True) + old_mass.sum(dim=3, keepdim=True)
                summed = mass @ v + old_mass @ old_v
                all_keys.append(torch.cat((old_k, k), dim=2))
                all_values.append(torch.cat((old_v, v), dim=2))
            mixed = (summed / total).permute(0, 2, 1, 3).flatten(2)
            x = x + attention.W_O(mixed)
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys, self.values = all_keys, all_values
        self.length += new
        return F.linear(model.norm(x), model.token_embedding.weight)
