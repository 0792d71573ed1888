# %% wrong: every piece begins at position 0
# model.positions adds the first T rows of the table to the new tokens, whatever was read before. Right for the first
# piece; all later ones have the wrong positions.

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
            raise ValueError(f"{total} tokens are too many")
        x = self.model.positions(self.model.token_embedding(tokens))
        mask = causal_mask(total).to(tokens.device)[-T:]
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (split_heads(W(normed), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if self.keys[i] is not None:
                k, v = torch.cat([self.keys[i], k], dim=2), torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            found, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: a mask for the prompt only
# Only the first piece gets a causal mask. Right for a prompt and then single tokens; where several tokens come at once
# later on, the earlier of them see the later ones.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, (_, T) = self.model, tokens.shape
        if self.length + T > model.positions.weight.shape[0]:
            raise ValueError("no position is left")
        x = model.token_embedding(tokens) + model.positions.weight[self.length : self.length + T]
        mask = causal_mask(T).to(tokens.device) if self.length == 0 else None  # what was read may all be seen
        for i, layer in enumerate(model.layers):
            h, attention = layer.norm1(x), layer.self_attention
            q = split_heads(attention.W_Q(h), attention.num_heads)
            k = split_heads(attention.W_K(h), attention.num_heads)
            v = split_heads(attention.W_V(h), attention.num_heads)
            if self.length > 0:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return F.linear(model.norm(x), model.token_embedding.weight)


# %% wrong: counted before it is refused
# length is raised before the check. The ValueError comes, and yet length is not what it was: after a refused piece a
# shorter one, for which there would be room, is refused too or gets the wrong positions.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model = self.model
        start = self.length
        self.length += tokens.shape[1]
        if self.length > len(model.positions.weight):
            raise ValueError(f"{self.length} tokens, but {len(model.positions.weight)} positions")
        allowed = causal_mask(self.length).to(tokens.device)[start:]
        x = model.token_embedding(tokens) + model.positions.weight[start : self.length]
        for number, layer in enumerate(model.layers):
            a = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = [split_heads(W(normed), a.num_heads) for W in (a.W_Q, a.W_K, a.W_V)]
            if start:
                k = torch.cat((self.keys[number], k), dim=2)
                v = torch.cat((self.values[number], v), dim=2)
            self.keys[number] = k
            self.values[number] = v
            output, _ = scaled_dot_product_attention(q, k, v, allowed)
            x = x + a.W_O(merge_heads(output))
            x = x + layer.feed_forward(layer.norm2(x))
        return model.norm(x) @ model.token_embedding.weight.T


# %% wrong: no check of its own
# Relies on the table to complain. A slice past its end is shorter or empty: a single token after a full window gives
# logits (B, 0, V) and no ValueError, and two tokens with one position left share that position.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        places = self.model.positions.weight[self.length : self.length + T]
        x = self.model.token_embedding(tokens) + places
        mask = None if T == 1 else causal_mask(self.length + T).to(tokens.device)[self.length :]
        for i, layer in enumerate(self.model.layers):
            normed = layer.norm1(x)
            attention = layer.self_attention
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            k = split_heads(attention.W_K(normed), attention.num_heads)
            v = split_heads(attention.W_V(normed), attention.num_heads)
            self.keys[i] = k if self.keys[i] is None else torch.cat([self.keys[i], k], dim=2)
            self.values[i] = v if self.values[i] is None else torch.cat([self.values[i], v], dim=2)
            found, _ = scaled_dot_product_attention(q, self.keys[i], self.values[i], mask)
            x = x + attention.W_O(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: one token after the other

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        table = self.model.positions.weight
        if tokens.size(1) > len(table) - self.length:
            raise ValueError(f"only {len(table) - self.length} positions are left")
        streams = (self.model.token_embedding(tokens) + table[self.length :][: tokens.size(1)]).split(1, dim=1)
        return torch.cat([self.read_one(x) for x in streams], dim=1)

    def read_one(self, x: Tensor) -> Tensor:
        """x (B, 1, D), the next token's vector -> its logits (B, 1, V): no mask, there is nothing after it."""
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            query = attention.W_Q(normed).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)  # (B, H, 1, d)
            for kept, W in ((self.keys, attention.W_K), (self.values, attention.W_V)):
                new = W(normed).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
                kept[i] = new if kept[i] is None else torch.cat([kept[i], new], dim=2)
            scores = (query * self.keys[i]).sum(dim=3) / math.sqrt(query.shape[3])  # (B, H, length)
            found = (scores.softmax(dim=2).unsqueeze(3) * self.values[i]).sum(dim=2)  # (B, H, d)
            x = x + attention.W_O(found.flatten(1)).unsqueeze(1)
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return self.model.norm(x) @ self.model.token_embedding.weight.mT


# %% correct: all at once, stored at the end

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        before, after = self.length, self.length + T
        places = torch.arange(before, after, device=tokens.device)
        if after > self.model.positions.weight.shape[0]:
            raise ValueError(f"cannot read {T} tokens after {before}")
        stream = self.model.token_embedding(tokens) + F.embedding(places, self.model.positions.weight)
        hidden = places.unsqueeze(1) < torch.arange(after, device=tokens.device)  # (T, after): what comes later
        keys, values = [], []
        for old_k, old_v, layer in zip(self.keys, self.values, self.model.layers, strict=True):
            attention, read = layer.self_attention, layer.norm1(stream)
            H = attention.num_heads
            q, k, v = (W(read).view(B, T, H, -1).permute(0, 2, 1, 3) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if before:
                k, v = torch.cat((old_k, k), dim=-2), torch.cat((old_v, v), dim=-2)
            keys.append(k)
            values.append(v)
            scores = torch.einsum("bhtd,bhsd->bhts", q, k).div(q.shape[-1] ** 0.5).masked_fill(hidden, -math.inf)
            mixed = torch.einsum("bhts,bhsd->bthd", (scores - scores.logsumexp(dim=3, keepdim=True)).exp(), v)
            stream = stream + attention.W_O(mixed.reshape(B, T, -1))
            stream = stream + layer.feed_forward(layer.norm2(stream))
        self.keys, self.values, self.length = keys, values, after
        return torch.einsum("btd,vd->btv", self.model.norm(stream), self.model.token_embedding.weight)
