# %% wrong: later pieces need no mask
# A mask for the first call only: right for one new token at a time, but the tokens of a later piece of several see each other's future.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0
    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if self.length + T > self.model.positions.weight.shape[0]:
            raise ValueError("too long")
        mask = causal_mask(T).to(tokens.device) if self.length == 0 else None
        x = self.model.token_embedding(tokens)
        x = x + self.model.positions.weight[self.length : self.length + T]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (split_heads(W(normed), a.num_heads) for W in (a.W_Q, a.W_K, a.W_V))
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + a.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the length is counted before it is checked
# After a refused call length has grown: a shorter piece that would still fit is then refused too, or put at the wrong position.

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
        if self.length > len(self.model.positions.weight):
            raise ValueError(f"{self.length} tokens are too many")
        mask = causal_mask(self.length)[start:].to(tokens.device)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start : self.length]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (split_heads(W(normed), a.num_heads) for W in (a.W_Q, a.W_K, a.W_V))
            if start:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + a.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the last position is refused
# Raises at length + T equal to max_length, which still fits: the full window cannot be read.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0
    def forward(self, tokens: Tensor) -> Tensor:
        end = self.length + tokens.shape[1]
        if end >= self.model.positions.weight.shape[0]:
            raise ValueError("no position left")
        mask = causal_mask(end)[self.length :].to(tokens.device)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[self.length : end]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            normed = layer.norm1(x)
            q = split_heads(a.W_Q(normed), a.num_heads)
            k = split_heads(a.W_K(normed), a.num_heads)
            v = split_heads(a.W_V(normed), a.num_heads)
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + a.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = end
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: a place counter of its own beside length
# The position comes from a private counter: where keys, values and length are set from outside (section 7.9 does), reading goes on at the wrong position.

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0
        self.next_place = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if self.length + T > self.model.positions.weight.shape[0]:
            raise ValueError("too long")
        places = torch.arange(self.next_place, self.next_place + T, device=tokens.device)
        places = places.clamp(max=self.model.positions.weight.shape[0] - 1)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[places]
        mask = causal_mask(self.length + T)[self.length :].to(tokens.device)
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (split_heads(W(normed), a.num_heads) for W in (a.W_Q, a.W_K, a.W_V))
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + a.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        self.next_place += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: one new token after the other, without any mask

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0
    def forward(self, tokens: Tensor) -> Tensor:
        if self.length + tokens.shape[1] > len(self.model.positions.weight):
            raise ValueError(f"{self.length} + {tokens.shape[1]} tokens are too many")
        return torch.stack([self.read_one(column) for column in tokens.unbind(dim=1)], dim=1)

    def read_one(self, column: Tensor) -> Tensor:
        x = self.model.token_embedding(column) + self.model.positions.weight[self.length]  # (B, D)
        keys, values = [], []
        for layer, old_k, old_v in zip(self.model.layers, self.keys, self.values, strict=True):
            part = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                linear(normed).unflatten(1, (part.num_heads, -1)).unsqueeze(2)
                for linear in (part.W_Q, part.W_K, part.W_V)
            )
            if self.length:
                k, v = torch.cat([old_k, k], dim=2), torch.cat([old_v, v], dim=2)
            keys.append(k)
            values.append(v)
            weights = (q * k).sum(dim=3).div(math.sqrt(q.shape[3])).softmax(dim=2)  # (B, H, S)
            mixed = (weights.unsqueeze(3) * v).sum(dim=2)
            x = x + part.W_O(mixed.flatten(1))
            x = x + layer.feed_forward(layer.norm2(x).unsqueeze(1)).squeeze(1)
        self.keys, self.values, self.length = keys, values, self.length + 1
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% correct: one product for queries, keys and values, and PyTorch's attention

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0
    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        old, model = self.length, self.model
        if old + T > model.positions.weight.size(0):
            raise ValueError("more tokens than positions")
        x = model.token_embedding(tokens) + model.positions.weight.narrow(0, old, T)
        query_place = torch.arange(old, old + T, device=tokens.device).unsqueeze(1)
        may = torch.arange(old + T, device=tokens.device) <= query_place
        keys, values = list(self.keys), list(self.values)
        for i, layer in enumerate(model.layers):
            a = layer.self_attention
            maps = (a.W_Q, a.W_K, a.W_V)
            together = F.linear(
                layer.norm1(x), torch.cat([m.weight for m in maps]), torch.cat([m.bias for m in maps])
            )
            q, k, v = together.view(B, T, 3, a.num_heads, -1).permute(2, 0, 3, 1, 4)
            keys[i] = k if old == 0 else torch.cat((keys[i], k), 2)
            values[i] = v if old == 0 else torch.cat((values[i], v), 2)
            mixed = F.scaled_dot_product_attention(q, keys[i], values[i], attn_mask=may)
            x = x + a.W_O(mixed.transpose(1, 2).reshape(B, T, -1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys, self.values, self.length = keys, values, old + T
        return torch.einsum("btd,vd->btv", model.norm(x), model.token_embedding.weight)
