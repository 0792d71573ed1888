# %% wrong: positions from 0 in every call
# The new tokens get the first rows of the position table each time.
# Breaks "they take the positions that come after those read"; the first call is right. Hint: at which place of the text does the new token stand?

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the number of
    tokens read so far, and keys and values hold a tensor (B, H, length, D / H) for each layer.

    forward: the next tokens (B, T), T of one or more -> their logits (B, T, V), the same as the
    model gives at these places when it reads everything from the start. Only the new tokens
    pass through the layers; they take the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, start, end = self.model, self.length, self.length + tokens.shape[1]
        if end > len(model.positions.weight):
            raise ValueError(f"{end} tokens are more than {len(model.positions.weight)} positions")
        x = model.dropout(model.positions(model.token_embedding(tokens)))
        mask = causal_mask(end)[start:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = (
                split_heads(linear(normed), attention.num_heads)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.keys[i] is not None:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            output, _ = scaled_dot_product_attention(query, key, value, mask)
            x = x + layer.dropout(attention.W_O(merge_heads(output)))
            x = x + layer.dropout(layer.feed_forward(layer.norm2(x)))
        self.length = end
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: view where split_heads is needed
# The heads are cut by view(B, H, T, d), which deals positions out to heads.
# Right for one new token at a time, wrong for several. Hint: which axis has to be split, and which moved?

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the number of
    tokens read so far, and keys and values hold a tensor (B, H, length, D / H) for each layer.

    forward: the next tokens (B, T), T of one or more -> their logits (B, T, V), the same as the
    model gives at these places when it reads everything from the start. Only the new tokens
    pass through the layers; they take the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, start, end = self.model, self.length, self.length + tokens.shape[1]
        if end > len(model.positions.weight):
            raise ValueError(f"{end} tokens are more than {len(model.positions.weight)} positions")
        x = model.dropout(model.token_embedding(tokens) + model.positions.weight[start:end])
        mask = causal_mask(end)[start:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = (
                linear(normed).view(len(tokens), attention.num_heads, tokens.shape[1], -1)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.keys[i] is not None:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            output, _ = scaled_dot_product_attention(query, key, value, mask)
            x = x + layer.dropout(attention.W_O(merge_heads(output)))
            x = x + layer.dropout(layer.feed_forward(layer.norm2(x)))
        self.length = end
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: no mask among the new tokens
# The new tokens attend to everything in the cache, those behind them in the same piece included.
# Right for one token at a time, wrong where several come at once. Hint: which rows of the causal mask are theirs?

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the number of
    tokens read so far, and keys and values hold a tensor (B, H, length, D / H) for each layer.

    forward: the next tokens (B, T), T of one or more -> their logits (B, T, V), the same as the
    model gives at these places when it reads everything from the start. Only the new tokens
    pass through the layers; they take the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, start, end = self.model, self.length, self.length + tokens.shape[1]
        if end > len(model.positions.weight):
            raise ValueError(f"{end} tokens are more than {len(model.positions.weight)} positions")
        x = model.dropout(model.token_embedding(tokens) + model.positions.weight[start:end])
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = (
                split_heads(linear(normed), attention.num_heads)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.keys[i] is not None:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            output, _ = scaled_dot_product_attention(query, key, value)
            x = x + layer.dropout(attention.W_O(merge_heads(output)))
            x = x + layer.dropout(layer.feed_forward(layer.norm2(x)))
        self.length = end
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: counted before it is refused
# length is raised first and compared with the number of positions afterwards.
# Breaks "and then reads nothing": after the ValueError the length is wrong, and tokens that would fit are refused or misplaced. Hint: what is cache.length after the error?

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the number of
    tokens read so far, and keys and values hold a tensor (B, H, length, D / H) for each layer.

    forward: the next tokens (B, T), T of one or more -> their logits (B, T, V), the same as the
    model gives at these places when it reads everything from the start. Only the new tokens
    pass through the layers; they take the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, start = self.model, self.length
        self.length += tokens.shape[1]
        end = self.length
        if end > len(model.positions.weight):
            raise ValueError(f"{end} tokens are more than {len(model.positions.weight)} positions")
        x = model.dropout(model.token_embedding(tokens) + model.positions.weight[start:end])
        mask = causal_mask(end)[start:].to(tokens.device)
        for i, layer in enumerate(model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query, key, value = (
                split_heads(linear(normed), attention.num_heads)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.keys[i] is not None:
                key = torch.cat([self.keys[i], key], dim=2)
                value = torch.cat([self.values[i], value], dim=2)
            self.keys[i], self.values[i] = key, value
            output, _ = scaled_dot_product_attention(query, key, value, mask)
            x = x + layer.dropout(attention.W_O(merge_heads(output)))
            x = x + layer.dropout(layer.feed_forward(layer.norm2(x)))
        return model.norm(x) @ model.token_embedding.weight.T


# %% correct: one token after the other

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the number of
    tokens read so far, and keys and values hold a tensor (B, H, length, D / H) for each layer.

    forward: the next tokens (B, T), T of one or more -> their logits (B, T, V), the same as the
    model gives at these places when it reads everything from the start. Only the new tokens
    pass through the layers; they take the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        if self.length + tokens.shape[1] > self.model.positions.weight.shape[0]:
            raise ValueError("no position is left for these tokens")
        return torch.cat([self._read(token) for token in tokens.split(1, dim=1)], dim=1)

    def _read(self, token: Tensor) -> Tensor:
        """One column of tokens (B, 1): it may look at all that was read, so no mask is needed."""
        table = self.model.token_embedding.weight
        x = self.model.dropout(table[token] + self.model.positions.weight[self.length])
        for i, layer in enumerate(self.model.layers):
            x = x + layer.dropout(self._attend(i, layer.self_attention, layer.norm1(x)))
            x = x + layer.dropout(layer.feed_forward(layer.norm2(x)))
        self.length += 1
        return F.linear(self.model.norm(x), table)

    def _attend(self, i: int, attention, x: Tensor) -> Tensor:
        q, k, v = (split_heads(part(x), attention.num_heads) for part in (attention.W_Q, attention.W_K, attention.W_V))
        self.keys[i] = k if self.keys[i] is None else torch.cat((self.keys[i], k), dim=2)
        self.values[i] = v if self.values[i] is None else torch.cat((self.values[i], v), dim=2)
        weights = (q @ self.keys[i].mT / math.sqrt(q.shape[-1])).softmax(dim=-1)
        return attention.W_O(merge_heads(weights @ self.values[i]))


# %% correct: einsum, and where for the mask

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later.

    model: a CausalLanguageModel in eval mode. The cache begins empty; length is the number of
    tokens read so far, and keys and values hold a tensor (B, H, length, D / H) for each layer.

    forward: the next tokens (B, T), T of one or more -> their logits (B, T, V), the same as the
    model gives at these places when it reads everything from the start. Only the new tokens
    pass through the layers; they take the positions that come after those read.
    Raises ValueError where length + T is above the model's max_length, and then reads nothing.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        total = self.length + tokens.size(1)
        if total > self.model.positions.weight.size(0):
            raise ValueError(f"the model has no position {total - 1}")
        places = torch.arange(total, device=tokens.device)
        blocked = places[None, :] > places[self.length :, None]
        x = self.model.token_embedding(tokens)
        x = x + F.embedding(places[self.length :], self.model.positions.weight)
        x = self.model.dropout(x)
        for i, layer in enumerate(self.model.layers):
            part, heads = layer.self_attention, layer.self_attention.num_heads
            normed = layer.norm1(x)
            q = part.W_Q(normed).unflatten(2, (heads, -1))
            k = part.W_K(normed).unflatten(2, (heads, -1)).permute(0, 2, 1, 3)
            v = part.W_V(normed).unflatten(2, (heads, -1)).permute(0, 2, 1, 3)
            if self.length:
                k, v = torch.cat([self.keys[i], k], 2), torch.cat([self.values[i], v], 2)
            self.keys[i], self.values[i] = k, v
            scores = torch.einsum("bthd,bhsd->bhts", q, k) * q.size(-1) ** -0.5
            weights = torch.where(blocked, float("-inf"), scores).softmax(-1)
            x = x + layer.dropout(part.W_O(torch.einsum("bhts,bhsd->bthd", weights, v).flatten(2)))
            x = x + layer.dropout(layer.feed_forward(layer.norm2(x)))
        self.length = total
        return torch.einsum("btd,vd->btv", self.model.norm(x), self.model.token_embedding.weight)
