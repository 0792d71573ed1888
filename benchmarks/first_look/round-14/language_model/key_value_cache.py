# %% wrong: no mask once something is cached
# "The new tokens may look at everything that is there." True of one new token; of several after the
# first call each sees the later ones. Shows for pieces such as 3 and 2.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past, new = self.model, self.length, tokens.shape[1]
        if past + new > len(model.positions.weight):
            raise ValueError("no positions left")
        x = model.token_embedding(tokens) + model.positions.weight[past : past + new]
        mask = causal_mask(new).to(tokens.device) if past == 0 else None
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            query, key, value = (
                split_heads(project(normed), attention.num_heads)
                for project in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if past:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            found = scaled_dot_product_attention(query, key, value, mask)[0]
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = past + new
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: too many tokens are noticed at the end
# The keys and values are appended and length is raised before it is compared with max_length. The
# ValueError comes, but the call has been read: a shorter one afterwards fails or sees what it
# should not.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past = self.model, self.length
        self.length = past + tokens.shape[1]
        places = torch.arange(past, self.length, device=tokens.device)
        room = len(model.positions.weight)
        x = model.token_embedding(tokens) + model.positions.weight[places.clamp(max=room - 1)]
        mask = torch.arange(self.length, device=tokens.device) <= places.unsqueeze(1)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            query, key, value = (
                split_heads(project(normed), attention.num_heads)
                for project in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if past:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(query, key, value, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        if self.length > room:
            raise ValueError(f"{self.length} tokens, and only {room} positions")
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: length grows in every layer
# self.length is raised inside the loop, where the keys are stored. With one layer right; with two
# it is twice what was read, and the next tokens get positions that are too high.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past, new = self.model, self.length, tokens.shape[1]
        if past + new > len(model.positions.weight):
            raise ValueError("no positions left")
        x = model.token_embedding(tokens) + model.positions.weight[past : past + new]
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            query = split_heads(attention.W_Q(normed), attention.num_heads)
            key = split_heads(attention.W_K(normed), attention.num_heads)
            value = split_heads(attention.W_V(normed), attention.num_heads)
            if self.keys[i] is not None:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            self.length += new
            mask = causal_mask(key.shape[2])[-new:].to(tokens.device)
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(query, key, value, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: keys and values kept before the heads are split
# The logits are right, but keys and values hold (B, length, D) instead of (B, H, length, D / H), so
# whoever reads them, or drops the oldest by k[:, :, 1:], gets something else. Shows for any input.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past, new = self.model, self.length, tokens.shape[1]
        if past + new > len(model.positions.weight):
            raise ValueError("no positions left")
        x = model.token_embedding(tokens) + model.positions.weight[past : past + new]
        mask = causal_mask(past + new)[past:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            key, value = attention.W_K(normed), attention.W_V(normed)
            if past:
                key = torch.cat([self.keys[i], key], dim=1)
                value = torch.cat([self.values[i], value], dim=1)
            self.keys[i], self.values[i] = key, value
            query, key, value = (
                split_heads(y, attention.num_heads) for y in (attention.W_Q(normed), key, value)
            )
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(query, key, value, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = past + new
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% correct: one new token after another, without any mask

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        weight = self.model.positions.weight
        if self.length + tokens.shape[1] > weight.shape[0]:
            raise ValueError(f"after {self.length} tokens there is no room for {tokens.shape[1]} more")
        keys, values, rows = list(self.keys), list(self.values), []
        for t in range(tokens.shape[1]):
            x = self.model.token_embedding(tokens[:, t]) + weight[self.length + t]  # (B, D)
            for i, layer in enumerate(self.model.layers):
                part, seen = layer.self_attention, layer.norm1(x)
                # (B, H, 1, D / H)
                query, key, value = (
                    to(seen).unflatten(1, (part.num_heads, 1, -1)) for to in (part.W_Q, part.W_K, part.W_V)
                )
                keys[i] = key if keys[i] is None else torch.cat((keys[i], key), 2)
                values[i] = value if values[i] is None else torch.cat((values[i], value), 2)
                scores = (query * keys[i]).sum(dim=3) / math.sqrt(query.shape[3])  # (B, H, length)
                found = (scores.softmax(dim=2).unsqueeze(3) * values[i]).sum(dim=2)
                x = x + part.W_O(found.flatten(1))
                x = x + layer.feed_forward(layer.norm2(x))
            rows.append(self.model.norm(x) @ self.model.token_embedding.weight.mT)
        self.keys, self.values = keys, values
        self.length += tokens.shape[1]
        return torch.stack(rows, dim=1)


# %% correct: two softmaxes, over the past and over the new, joined by their sums

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, past = self.model, self.length
        end = past + tokens.shape[1]
        if end > len(model.positions.weight):
            raise ValueError(f"{end} tokens are more than there are positions")
        later = torch.ones(end - past, end - past, dtype=torch.bool, device=tokens.device).triu(1)
        kept = []
        x = model.token_embedding(tokens) + model.positions.weight[past:end].unsqueeze(0)
        for old_keys, old_values, layer in zip(self.keys, self.values, model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            shape = (*normed.shape[:2], attention.num_heads, -1)
            query = attention.W_Q(normed).reshape(shape).permute(0, 2, 1, 3)
            key = attention.W_K(normed).reshape(shape).permute(0, 2, 1, 3)
            value = attention.W_V(normed).reshape(shape).permute(0, 2, 1, 3)
            scale = query.shape[-1] ** -0.5
            pieces = [((query @ key.mT * scale).masked_fill(later, -torch.inf), value)]
            if old_keys is not None:
                pieces.append((query @ old_keys.mT * scale, old_values))
            top = torch.stack([scores.amax(dim=-1, keepdim=True) for scores, _ in pieces]).amax(dim=0)
            powers = [((scores - top).exp(), v) for scores, v in pieces]
            below = sum(e.sum(dim=-1, keepdim=True) for e, _ in powers)
            found = sum(e @ v for e, v in powers) / below
            x = x + attention.W_O(found.permute(0, 2, 1, 3).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
            if old_keys is not None:
                key, value = torch.cat([old_keys, key], dim=2), torch.cat([old_values, value], dim=2)
            kept.append((key, value))
        self.keys, self.values, self.length = [k for k, _ in kept], [v for _, v in kept], end
        return torch.einsum("btd,vd->btv", model.norm(x), model.token_embedding.weight)
