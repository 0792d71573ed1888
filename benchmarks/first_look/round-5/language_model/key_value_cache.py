# %% wrong: no mask among the new tokens
# Everything in the cache is to the left, so no mask is used; but of several new tokens the first also sees the later ones.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        table = position_table(self.model)
        if self.length + T > table.shape[0]:
            raise ValueError("the window is full")
        x = self.model.token_embedding(tokens) + table[self.length : self.length + T]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            H = attention.num_heads
            h = layer.norm1(x)
            q, k, v = (W(h).view(B, T, H, -1).transpose(1, 2) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            weights = torch.softmax(q @ k.transpose(2, 3) / q.shape[-1] ** 0.5, dim=-1)
            x = x + attention.W_O((weights @ v).transpose(1, 2).reshape(B, T, -1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the error comes when everything has been read
# length is counted up and keys are appended before the check, so that a refused call leaves its tokens in the cache.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        model, table = self.model, position_table(self.model)
        begin, self.length = self.length, self.length + T
        if self.length > table.shape[0]:
            raise ValueError(f"{self.length} tokens are more than {table.shape[0]}")
        x = model.token_embedding(tokens) + table[begin : self.length]
        mask = causal_mask(self.length).to(x.device)[begin:]
        for i, layer in enumerate(model.layers):
            part = layer.self_attention
            h = layer.norm1(x)
            q, k, v = (
                linear(h).unflatten(2, (part.num_heads, -1)).transpose(1, 2)
                for linear in (part.W_Q, part.W_K, part.W_V)
            )
            if begin > 0:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            scores = (q @ k.mT / math.sqrt(q.shape[3])).masked_fill(~mask, float("-inf"))
            x = x + part.W_O((scores.softmax(dim=3) @ v).transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: the tokens are kept and all read again
# The logits are right, but everything passes through the layers each time, and keys and values stay empty.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if self.length + T > position_table(self.model).shape[0]:
            raise ValueError("no position left")
        everything = tokens if self.length == 0 else torch.cat([self.tokens, tokens], dim=1)
        logits = self.model(everything)
        self.tokens = everything
        self.length += T
        return logits[:, -T:]


# %% wrong: the last position is refused
# The check has >= in place of >, so the window can never be filled.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        table = position_table(self.model)
        if self.length + T >= table.shape[0]:
            raise ValueError("more tokens than positions")
        total = self.length + T
        x = self.model.token_embedding(tokens) + table[self.length : total]
        mask = causal_mask(total).to(tokens.device)[self.length :]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            h = layer.norm1(x)
            heads = [
                linear(h).view(B, T, attention.num_heads, -1).transpose(1, 2)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            ]
            q, k, v = heads
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + attention.W_O(out.transpose(1, 2).reshape(B, T, -1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the first rows of the mask
# New tokens get the rows of the causal mask from the top, and so see only the first keys; right for the first call.

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        table = position_table(self.model)
        total = self.length + T
        if total > table.shape[0]:
            raise ValueError(f"{total} tokens, but {table.shape[0]} positions")
        x = self.model.token_embedding(tokens) + table[self.length : total]
        mask = torch.ones(T, total, dtype=torch.bool, device=tokens.device).tril()
        for i, layer in enumerate(self.model.layers):
            attention, h = layer.self_attention, layer.norm1(x)
            split = lambda y: y.view(B, T, attention.num_heads, -1).permute(0, 2, 1, 3)
            q, k, v = split(attention.W_Q(h)), split(attention.W_K(h)), split(attention.W_V(h))
            if self.length:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
            weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
            x = x + attention.W_O((weights @ v).permute(0, 2, 1, 3).reshape(B, T, -1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% correct: one token at a time needs no mask

def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def _read_one(self, token: Tensor, position: Tensor) -> Tensor:
        """token (B,) -> its logits (B, V); keys and values get one place more."""
        x = self.model.token_embedding(token) + position
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            h = layer.norm1(x)
            query, key, value = (
                linear(h).unflatten(-1, (attention.num_heads, -1))  # (B, H, D / H)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            for store, new in ((self.keys, key), (self.values, value)):
                new = new.unsqueeze(2)
                store[i] = new if store[i] is None else torch.cat([store[i], new], dim=2)
            scores = torch.einsum("bhd,bhsd->bhs", query, self.keys[i]) * query.shape[-1] ** -0.5
            blend = torch.einsum("bhs,bhsd->bhd", scores.softmax(dim=-1), self.values[i])
            x = x + attention.W_O(blend.flatten(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        positions = position_table(self.model)[self.length :]
        if tokens.shape[1] > len(positions):
            raise ValueError(f"{len(positions)} positions are left, and {tokens.shape[1]} tokens came")
        columns = zip(tokens.unbind(dim=1), positions)  # noqa: B905, there may be more positions
        return torch.stack([self._read_one(token, position) for token, position in columns], dim=1)


# %% correct: a bias on the scores and helper functions

def in_heads(x: Tensor, count: int) -> Tensor:
    return torch.stack(x.chunk(count, dim=-1), dim=1)


def side_by_side(heads: Tensor) -> Tensor:
    return torch.cat(heads.unbind(dim=1), dim=-1)


def grown(old: Tensor | None, new: Tensor) -> Tensor:
    return new if old is None else torch.cat((old, new), dim=-2)


def position_table(model) -> Tensor:
    """The learned positions as a table (max_length, D)."""
    (table,) = model.positions.parameters()
    return table.reshape(-1, table.shape[-1])


class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model = self.model
        table = position_table(model)
        first, end = self.length, self.length + tokens.size(1)
        if end > table.size(0):
            raise ValueError(f"the model has {table.size(0)} positions; this would be {end}")
        stream = model.token_embedding(tokens) + table[first:end]
        too_new = torch.arange(end, device=tokens.device) > torch.arange(first, end, device=tokens.device)[:, None]
        bias = torch.zeros(too_new.shape, dtype=stream.dtype, device=stream.device)
        bias[too_new] = -torch.inf
        keys, values = [], []
        for layer, old_keys, old_values in zip(model.layers, self.keys, self.values, strict=True):
            stream, new_keys, new_values = self._through(layer, stream, bias, old_keys, old_values)
            keys.append(new_keys)
            values.append(new_values)
        self.keys, self.values, self.length = keys, values, end
        return torch.einsum("btd,vd->btv", model.norm(stream), model.token_embedding.weight)

    @staticmethod
    def _through(layer, stream, bias, old_keys, old_values):
        part, read = layer.self_attention, layer.norm1(stream)
        keys = grown(old_keys, in_heads(part.W_K(read), part.num_heads))
        values = grown(old_values, in_heads(part.W_V(read), part.num_heads))
        queries = in_heads(part.W_Q(read), part.num_heads) / math.sqrt(keys.size(-1))
        weights = (torch.einsum("bhtd,bhsd->bhts", queries, keys) + bias).softmax(dim=-1)
        stream = stream + part.W_O(side_by_side(weights @ values))
        return stream + layer.feed_forward(layer.norm2(stream)), keys, values
