# %% wrong: causal mask that starts at the first place
# The rows of the mask are those of the tokens 0 to T - 1 and not of the new ones: after the first call the new tokens look at the
# oldest keys only.

def position_table(model):
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


def into_heads(x, num_heads):
    return x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        table = position_table(self.model)
        if self.length + T > len(table):
            raise ValueError("no position left")
        x = self.model.token_embedding(tokens) + table[self.length : self.length + T]
        mask = torch.ones(T, self.length + T, dtype=torch.bool).tril()
        for i, layer in enumerate(self.model.layers):
            attention, z = layer.self_attention, layer.norm1(x)
            q, k, v = (into_heads(W(z), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + attention.W_O(out.transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: counts the tokens before it looks whether they fit
# length is raised before the check, so a call that is refused has been counted, and a shorter one afterwards gets wrong positions.

def position_table(model):
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


def into_heads(x, num_heads):
    return x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        table = position_table(self.model)
        start = self.length
        self.length += tokens.shape[1]
        if self.length > len(table):
            raise ValueError(f"{self.length} tokens for {len(table)} positions")
        x = self.model.token_embedding(tokens) + table[start : self.length]
        mask = causal_mask(self.length)[start:]
        for i, layer in enumerate(self.model.layers):
            attention, z = layer.self_attention, layer.norm1(x)
            q, k, v = (into_heads(W(z), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if start > 0:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + attention.W_O(out.transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: refuses the last position
# The comparison is with >= and so the token that would fill the window exactly raises a ValueError.

def position_table(model):
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


def into_heads(x, num_heads):
    return x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        table = position_table(self.model)
        if self.length + T >= len(table):
            raise ValueError("no position left")
        total = self.length + T
        x = self.model.token_embedding(tokens) + table[self.length : total]
        for i, layer in enumerate(self.model.layers):
            attention, z = layer.self_attention, layer.norm1(x)
            q, k, v = (into_heads(W(z), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(total)[-T:])
            x = x + attention.W_O(out.transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: keeps the tokens and reads them all again
# The logits are right, but every old token goes through all the layers at each call, and no keys or values are kept.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0
        self.tokens = None

    def forward(self, tokens: Tensor) -> Tensor:
        read = tokens if self.tokens is None else torch.cat([self.tokens, tokens], dim=1)
        logits = self.model(read)  # raises ValueError where it is too long
        self.tokens = read
        self.length = read.shape[1]
        return logits[:, -tokens.shape[1] :]


# %% wrong: scores divided by the root of the whole width
# Each head is D / H wide, and its root is the divisor; with the root of D the model's own logits come out with one head only.

def position_table(model):
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


def into_heads(x, num_heads):
    return x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, total = tokens.shape[1], self.length + tokens.shape[1]
        table = position_table(self.model)
        if total > len(table):
            raise ValueError("no position left")
        x = self.model.token_embedding(tokens) + table[self.length : total]
        mask = causal_mask(total)[self.length :]
        for i, layer in enumerate(self.model.layers):
            attention, z = layer.self_attention, layer.norm1(x)
            q, k, v = (into_heads(W(z), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            scores = q @ k.transpose(2, 3) / math.sqrt(x.shape[-1])
            weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
            x = x + attention.W_O((weights @ v).transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: products by einsum, a bias in place of the mask

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def _store(self, i, key, value):
        if self.keys[i] is None:
            self.keys[i], self.values[i] = key, value
        else:
            self.keys[i] = torch.cat((self.keys[i], key), dim=2)
            self.values[i] = torch.cat((self.values[i], value), dim=2)
        return self.keys[i], self.values[i]

    def _attend(self, i, attention, x):
        B, T, D = x.shape
        H = attention.num_heads
        query, key, value = (
            part(x).reshape(B, T, H, D // H).permute(0, 2, 1, 3)
            for part in (attention.W_Q, attention.W_K, attention.W_V)
        )
        keys, values = self._store(i, key, value)
        S = keys.shape[2]
        ahead = torch.arange(S, device=x.device) > torch.arange(S - T, S, device=x.device).unsqueeze(1)
        bias = torch.zeros(T, S, dtype=x.dtype, device=x.device).masked_fill(ahead, float("-inf"))
        scores = torch.einsum("bhtd,bhsd->bhts", query, keys) * (D // H) ** -0.5 + bias
        mixed = torch.einsum("bhts,bhsd->bthd", scores.softmax(dim=-1), values)
        return attention.W_O(mixed.reshape(B, T, D))

    def forward(self, tokens: Tensor) -> Tensor:
        (table,) = self.model.positions.parameters()
        table = table.reshape(-1, table.shape[-1])
        end = self.length + tokens.shape[1]
        if end > table.shape[0]:
            raise ValueError(f"{end} tokens, but there are {table.shape[0]} positions")
        x = self.model.token_embedding(tokens) + table[self.length : end]
        for i, layer in enumerate(self.model.layers):
            x = x + self._attend(i, layer.self_attention, layer.norm1(x))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = end
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% correct: one token after another, no mask at all

def _append(old, new):
    return new if old is None else torch.cat([old, new], dim=2)


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def _read_one(self, token, place):
        x = self.model.token_embedding(token) + place  # (B, D)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            z = layer.norm1(x).unsqueeze(1)
            q, k, v = (
                W(z).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            self.keys[i], self.values[i] = _append(self.keys[i], k), _append(self.values[i], v)
            scores = (q * self.keys[i]).sum(dim=3) / math.sqrt(q.shape[3])  # (B, H, length)
            blend = (scores.softmax(dim=2).unsqueeze(3) * self.values[i]).sum(dim=2)
            x = x + attention.W_O(blend.flatten(1).unsqueeze(1)).squeeze(1)
            x = x + layer.feed_forward(layer.norm2(x).unsqueeze(1)).squeeze(1)
        self.length += 1
        return self.model.norm(x) @ self.model.token_embedding.weight.t()

    def forward(self, tokens: Tensor) -> Tensor:
        (table,) = self.model.positions.parameters()
        places = table.reshape(-1, table.shape[-1])
        if self.length + tokens.shape[1] > len(places):
            raise ValueError("there are not enough positions left for these tokens")
        rows = [self._read_one(token, places[self.length]) for token in tokens.unbind(1)]
        return torch.stack(rows, dim=1)
