# %% wrong: no mask at all
# "What is in the cache lies in the past" holds for one new token at a time. Where several come at once, the first
# of them looks at the later ones too. Shows for T > 1.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        table = self.model.positions.weight
        if self.length + T > len(table):
            raise ValueError(f"no position left after {len(table)}")
        x = self.model.token_embedding(tokens) + table[self.length : self.length + T]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            k = split_heads(attention.W_K(normed), attention.num_heads)
            v = split_heads(attention.W_V(normed), attention.num_heads)
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the triangle begins in the upper left corner
# tril without a shift gives new token number i the keys 0 to i, counted from the start of the text and not from
# where it stands. Shows for every call but the first.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, past = tokens.shape[1], self.length
        if past + T > self.model.positions.weight.shape[0]:
            raise ValueError("the window is full")
        mask = torch.ones(T, past + T, dtype=torch.bool, device=tokens.device).tril()
        x = self.model.token_embedding(tokens) + self.model.positions.weight[past : past + T]
        for i, layer in enumerate(self.model.layers):
            att = layer.self_attention
            h = layer.norm1(x)
            q, k, v = (split_heads(W(h), att.num_heads) for W in (att.W_Q, att.W_K, att.W_V))
            if past > 0:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i] = k
            self.values[i] = v
            out, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + att.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = past + T
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% wrong: counted before it is checked
# length goes up first, and then ValueError is raised: the refused tokens count as read, and a shorter piece that
# would still fit is refused or gets wrong positions. Shows for any call after a ValueError.

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
            raise ValueError(f"{self.length} tokens are more than the model's positions")
        allowed = causal_mask(self.length).to(tokens.device)[start:]
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start : self.length]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            H = attention.num_heads
            normed = layer.norm1(x)
            k, v = split_heads(attention.W_K(normed), H), split_heads(attention.W_V(normed), H)
            self.keys[i] = k if self.keys[i] is None else torch.cat([self.keys[i], k], dim=2)
            self.values[i] = v if self.values[i] is None else torch.cat([self.values[i], v], dim=2)
            q = split_heads(attention.W_Q(normed), H)
            found, _ = scaled_dot_product_attention(q, self.keys[i], self.values[i], allowed)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: kept before the heads are split
# The logits are right, but keys and values hold (B, length, D), not the promised (B, H, length, D / H).
# Shows for cache.keys[0].shape after any call.

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
            raise ValueError(f"at most {model.positions.weight.shape[0]} tokens")
        x = model.token_embedding(tokens) + model.positions.weight[self.length : total]
        mask = causal_mask(total).to(tokens.device)[-T:]
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = attention.W_Q(normed), attention.W_K(normed), attention.W_V(normed)
            if self.keys[i] is not None:
                key = torch.cat((self.keys[i], key), dim=1)
                value = torch.cat((self.values[i], value), dim=1)
            self.keys[i], self.values[i] = key, value
            heads = [split_heads(part, attention.num_heads) for part in (query, key, value)]
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(*heads, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return model.norm(x) @ model.token_embedding.weight.T


# %% correct: one token after the other, so that no mask is needed

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        if self.length + tokens.shape[1] > len(self.model.positions.weight):
            raise ValueError(f"only {len(self.model.positions.weight) - self.length} positions are left")
        return torch.cat([self.read_one(column) for column in tokens.split(1, dim=1)], dim=1)

    def read_one(self, token: Tensor) -> Tensor:
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]  # (B, 1, D)
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (
                W(normed).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            self.keys[i] = self.append(self.keys[i], k)
            self.values[i] = self.append(self.values[i], v)
            weights = ((q * self.keys[i]).sum(dim=3) / math.sqrt(q.shape[3])).softmax(dim=2)  # (B, H, length)
            found = (weights.unsqueeze(3) * self.values[i]).sum(dim=2)  # (B, H, d)
            x = x + attention.W_O(found.flatten(1).unsqueeze(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)

    @staticmethod
    def append(kept, new: Tensor) -> Tensor:
        return new if kept is None else torch.cat([kept, new], dim=2)


# %% correct: the past and the new tokens scored apart, kept only when all has gone well

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, (B, T) = self.model, tokens.shape
        if self.length + T > model.positions.weight.shape[0]:
            raise ValueError("the model has no positions for these tokens")
        place = torch.arange(self.length, self.length + T, device=tokens.device)
        x = model.token_embedding(tokens) + F.embedding(place, model.positions.weight)
        keys, values = [], []
        for layer, old_k, old_v in zip(model.layers, self.keys, self.values):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if old_k is None:
                old_k, old_v = k[:, :, :0], v[:, :, :0]
            q = q * q.shape[3] ** -0.5
            past = torch.einsum("bhtd,bhsd->bhts", q, old_k)  # all of it may be seen
            new = torch.einsum("bhtd,bhsd->bhts", q, k)
            new = new.masked_fill(place[None, :] > place[:, None], -math.inf)
            highest = new.amax(dim=3, keepdim=True)  # a token sees itself at least
            if past.shape[3]:
                highest = torch.maximum(highest, past.amax(dim=3, keepdim=True))
            past, new = (past - highest).exp(), (new - highest).exp()
            total = past.sum(dim=3, keepdim=True) + new.sum(dim=3, keepdim=True)
            found = (past @ old_v + new @ v) / total
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
            keys.append(torch.cat([old_k, k], dim=2))
            values.append(torch.cat([old_v, v], dim=2))
        self.keys, self.values, self.length = keys, values, self.length + T
        return torch.einsum("btd,vd->btv", model.norm(x), model.token_embedding.weight)
