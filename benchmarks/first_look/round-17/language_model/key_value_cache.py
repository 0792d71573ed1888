# %% wrong: a causal mask for the first piece only
# Once something is stored, the new tokens attend without a mask, which is right for one token at a time only. Shows for a
# later piece of two or more: cache(tokens[:, :3]), then cache(tokens[:, 3:6]) lets token 3 see 4 and 5.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        new = tokens.shape[1]
        positions = self.model.positions.weight
        if self.length + new > len(positions):
            raise ValueError("no positions are left")
        x = self.model.token_embedding(tokens) + positions[self.length : self.length + new]
        mask = causal_mask(new).to(x.device) if self.length == 0 else None
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = (
                split_heads(linear(normed), attention.num_heads)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.length > 0:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(query, key, value, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += new
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% wrong: length is counted up before the check
# After a call that raises ValueError, length has grown although nothing was read. Shows with max_length 8: six tokens,
# then three (ValueError, length is 9), then two, which fit and are refused.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, old = self.model, self.length
        self.length += tokens.shape[1]
        if self.length > model.positions.weight.shape[0]:
            raise ValueError(f"{self.length} tokens are too many")
        x = model.token_embedding(tokens) + model.positions.weight[old : self.length]
        mask = causal_mask(self.length)[old:].to(x.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query = split_heads(attention.W_Q(normed), attention.num_heads)
            key = split_heads(attention.W_K(normed), attention.num_heads)
            value = split_heads(attention.W_V(normed), attention.num_heads)
            if self.keys[i] is not None:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            mixed = scaled_dot_product_attention(query, key, value, mask)[0]
            x = x + attention.W_O(merge_heads(mixed))
            x = x + layer.feed_forward(layer.norm2(x))
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: keys and values are kept as they come from the linear maps
# The logits are right, but keys and values hold (B, length, D), not (B, H, length, D / H): shows in their shapes, and
# where they are set from outside, e.g. cut by k[:, :, 1:] as in section 7.9.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        end = self.length + tokens.shape[1]
        if end > self.model.positions.weight.shape[0]:
            raise ValueError(f"{end} tokens are too many")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[self.length : end]
        mask = causal_mask(end)[self.length :].to(x.device)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            key, value = attention.W_K(normed), attention.W_V(normed)
            if self.length:
                key = torch.cat([self.keys[i], key], dim=1)
                value = torch.cat([self.values[i], value], dim=1)
            self.keys[i], self.values[i] = key, value
            heads = [split_heads(y, attention.num_heads) for y in (attention.W_Q(normed), key, value)]
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(*heads, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = end
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: trusts that the positions run out with an error
# A slice past the end is just shorter. With one position left, T = 3 tokens all take it, by broadcasting; with none left,
# one token gives logits of shape (B, 0, V); else RuntimeError. ValueError is asked for.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        new = tokens.shape[1]
        rows = self.model.positions.weight[self.length : self.length + new]
        x = self.model.token_embedding(tokens) + rows
        mask = causal_mask(self.length + new)[self.length :].to(x.device)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            y = layer.norm1(x)
            q = split_heads(attention.W_Q(y), attention.num_heads)
            k = split_heads(attention.W_K(y), attention.num_heads)
            v = split_heads(attention.W_V(y), attention.num_heads)
            if self.length > 0:
                k = torch.cat((self.keys[i], k), dim=2)
                v = torch.cat((self.values[i], v), dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += new
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: one token after the other, no mask at all

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def read_one(self, token: Tensor) -> Tensor:
        """The logits (B, V) after one more token (B,)."""
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]  # (B, D)
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            heads = (len(x), attention.num_heads, 1, -1)
            query = attention.W_Q(normed).view(heads)
            key, value = attention.W_K(normed).view(heads), attention.W_V(normed).view(heads)
            if self.length:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            scores = (query * key).sum(dim=3) / math.sqrt(query.shape[3])  # (B, H, length + 1)
            mixed = (scores.softmax(dim=2).unsqueeze(3) * value).sum(dim=2)  # (B, H, d)
            x = x + attention.W_O(mixed.flatten(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return self.model.norm(x) @ self.model.token_embedding.weight.T

    def forward(self, tokens: Tensor) -> Tensor:
        room = self.model.positions.weight.shape[0] - self.length
        if tokens.shape[1] > room:
            raise ValueError(f"room for {room} tokens, got {tokens.shape[1]}")
        return torch.stack([self.read_one(token) for token in tokens.unbind(dim=1)], dim=1)


# %% correct: old and new keys scored apart, everything stored at the end

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        limit, new = self.model.positions.weight.shape[0], tokens.shape[1]
        if self.length + new > limit:
            raise ValueError(f"{self.length} + {new} tokens do not fit {limit} positions")
        place = torch.arange(self.length, self.length + new, device=tokens.device)
        x = self.model.token_embedding(tokens) + F.embedding(place, self.model.positions.weight)
        later = torch.ones(new, new, dtype=torch.bool, device=x.device).triu(1)
        all_keys, all_values = [], []
        for layer, old_key, old_value in zip(self.model.layers, self.keys, self.values, strict=True):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = (
                linear(normed).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            query = query * query.shape[-1] ** -0.5
            scores = (query @ key.mT).masked_fill(later, -torch.inf)
            if self.length:
                scores = torch.cat([query @ old_key.mT, scores], dim=-1)
                key = torch.cat([old_key, key], dim=2)
                value = torch.cat([old_value, value], dim=2)
            all_keys.append(key)
            all_values.append(value)
            out = torch.einsum("bhts,bhsd->bthd", scores.softmax(dim=-1), value)
            x = x + attention.W_O(out.flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys, self.values, self.length = all_keys, all_values, self.length + new
        return torch.einsum("btd,vd->btv", self.model.norm(x), self.model.token_embedding.weight)
