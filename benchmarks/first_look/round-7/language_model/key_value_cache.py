# %% wrong: no mask
# The new tokens see everything that is there, each other too. Right for one token at a time; where several come at once,
# the first of them look at the later ones.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, start = tokens.shape[1], self.length
        if start + T > len(self.model.positions.weight):
            raise ValueError(f"no position left for {T} tokens after {start}")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start : start + T]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = start + T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the first rows of the causal mask
# Of the mask for all tokens the new ones get the rows 0 to T - 1 and not the last T: behind a cache that is not empty a
# token sees the beginning of the text only, and not itself. Right for the first call.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, start = tokens.shape[1], self.length
        if start + T > len(self.model.positions.weight):
            raise ValueError(f"no position left for {T} tokens after {start}")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start : start + T]
        mask = causal_mask(start + T)[:T]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = start + T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: positions from zero again
# model.positions adds its first T rows to whatever it is given: from the second call on the new tokens claim to stand at the
# beginning. Right for the first call only.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, start = tokens.shape[1], self.length
        if start + T > len(self.model.positions.weight):
            raise ValueError(f"no position left for {T} tokens after {start}")
        x = self.model.positions(self.model.token_embedding(tokens))
        mask = causal_mask(start + T)[start:]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = start + T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: counts before it refuses
# length is raised before the check. The ValueError comes, but the refused tokens have been counted: afterwards length is wrong,
# and a shorter piece that would still fit is refused or gets wrong positions.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, start = tokens.shape[1], self.length
        self.length += T
        if self.length > self.model.positions.weight.shape[0]:
            raise ValueError(f"the model has {self.model.positions.weight.shape[0]} positions, this is {self.length}")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start : start + T]
        mask = causal_mask(start + T)[start:]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: one token after the other, no mask at all

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
            raise ValueError(f"room for {room} more tokens, got {tokens.shape[1]}")
        return torch.cat([self.read_one(token) for token in tokens.split(1, dim=1)], dim=1)

    def read_one(self, token: Tensor) -> Tensor:
        """The logits (B, 1, V) of one token (B, 1), that may look at all that stands in the cache."""
        stream = self.model.token_embedding(token) + self.model.positions.weight[self.length]
        for i, layer in enumerate(self.model.layers):
            stream = stream + self.look(i, layer.self_attention, layer.norm1(stream))
            stream = stream + layer.feed_forward(layer.norm2(stream))
        self.length += 1
        return F.linear(self.model.norm(stream), self.model.token_embedding.weight)

    def look(self, i: int, attention: nn.Module, x: Tensor) -> Tensor:
        heads = (attention.num_heads, -1)
        query, key, value = (
            W(x).squeeze(1).unflatten(1, heads).unsqueeze(2) for W in (attention.W_Q, attention.W_K, attention.W_V)
        )  # (B, H, 1, d)
        for kept, new in ((self.keys, key), (self.values, value)):
            kept[i] = new if kept[i] is None else torch.cat((kept[i], new), dim=2)
        scores = (self.keys[i] * query).sum(dim=3) / query.shape[3] ** 0.5  # (B, H, length)
        found = (torch.softmax(scores, dim=2).unsqueeze(3) * self.values[i]).sum(dim=2)  # (B, H, d)
        return attention.W_O(found.flatten(1)).unsqueeze(1)


# %% correct: positions by way of a padded text, written down at the end

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, read = self.model, self.length
        embedded = model.token_embedding(tokens)
        padded = torch.cat([embedded.new_zeros(len(tokens), read, embedded.shape[2]), embedded], dim=1)
        h = model.positions(padded)[:, read:]  # raises ValueError past the table, before anything has been read
        place = torch.arange(padded.shape[1], device=tokens.device)
        later = place > place[read:].unsqueeze(1)  # (T, read + T)
        keys, values = [], []
        for layer, old_keys, old_values in zip(model.layers, self.keys, self.values, strict=True):
            attend = layer.self_attention
            normed = layer.norm1(h)
            q = split_heads(attend.W_Q(normed), attend.num_heads)
            k, v = split_heads(attend.W_K(normed), attend.num_heads), split_heads(attend.W_V(normed), attend.num_heads)
            if read > 0:
                k, v = torch.cat([old_keys, k], dim=-2), torch.cat([old_values, v], dim=-2)
            keys.append(k)
            values.append(v)
            scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.shape[-1])
            p = scores.masked_fill(later, -math.inf).log_softmax(dim=-1).exp()
            h = h + attend.W_O(torch.einsum("bhts,bhsd->bthd", p, v).flatten(2))
            h = h + layer.feed_forward(layer.norm2(h))
        self.keys, self.values, self.length = keys, values, read + tokens.shape[1]
        return torch.einsum("btd,vd->btv", model.norm(h), model.token_embedding.weight)
