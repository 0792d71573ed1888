# %% wrong: positions begin at 0 again
# The new tokens get the positions 0 to T - 1 at every call, instead of length and on. Shows at every call but the
# first.

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        total = self.length + tokens.shape[1]
        if total > len(self.model.positions.weight):
            raise ValueError(f"{total} tokens are more than the model has positions")
        x = self.model.positions(self.model.token_embedding(tokens))
        mask = causal_mask(total)[self.length :].to(tokens.device)
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
            out, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = total
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: a mask for the first piece only
# After the first call no mask is used, as a single new token may look at everything. When several come at once, the
# earlier of them see the later ones. Shows for cache(tokens[:, :3]), then cache(tokens[:, 3:6]).

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        if self.length + T > self.model.positions.weight.shape[0]:
            raise ValueError("the model has no more positions")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[self.length : self.length + T]
        mask = causal_mask(T).to(tokens.device) if self.length == 0 else None
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                split_heads(W(normed), attention.num_heads)
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.length > 0:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)


# %% wrong: counted before it is refused
# length is raised first and tested afterwards: a call that raises ValueError leaves length too large, so that a
# shorter piece that would fit is refused too.

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later."""

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
            raise ValueError(f"{self.length} tokens are more than {self.model.positions.weight.shape[0]}")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start : self.length]
        mask = causal_mask(self.length)[start:].to(tokens.device)
        for i, layer in enumerate(self.model.layers):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                split_heads(W(normed), attention.num_heads)
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if self.keys[i] is not None:
                k = torch.cat([self.keys[i], k], dim=2)
                v = torch.cat([self.values[i], v], dim=2)
            self.keys[i], self.values[i] = k, v
            out = scaled_dot_product_attention(q, k, v, mask)[0]
            x = x + attention.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% wrong: the last position is refused
# Raises ValueError where length + T equals max_length; only above it may it refuse. Shows when the window is filled to
# its last place.

class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        T, L = tokens.shape[1], self.length
        max_length = self.model.positions.weight.shape[0]
        if L + T >= max_length:
            raise ValueError(f"{L + T} tokens, the model has {max_length} positions")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[L : L + T]
        mask = causal_mask(L + T).to(tokens.device)[L:]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            q, k, v = (
                split_heads(W(normed), attention.num_heads)
                for W in (attention.W_Q, attention.W_K, attention.W_V)
            )
            if L > 0:
                k = torch.cat((self.keys[i], k), dim=2)
                v = torch.cat((self.values[i], v), dim=2)
            self.keys[i] = k
            self.values[i] = v
            attended, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.W_O(merge_heads(attended))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = L + T
        return self.model.norm(x) @ self.model.token_embedding.weight.T


# %% correct: one token after another, which needs no mask
class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, places = self.model, self.model.positions.weight
        if self.length + tokens.shape[1] > places.shape[0]:
            raise ValueError(f"{self.length} + {tokens.shape[1]} tokens, but {places.shape[0]} positions")
        rows = [self.read_one(column) for column in tokens.unbind(dim=1)]
        return torch.stack(rows, dim=1) @ model.token_embedding.weight.T

    def read_one(self, token: Tensor) -> Tensor:
        """token (B,) -> the last norm's output (B, D); the token is kept in every layer."""
        model = self.model
        x = model.token_embedding(token) + model.positions.weight[self.length]
        keys, values = [], []
        for layer, old_keys, old_values in zip(model.layers, self.keys, self.values, strict=True):
            attention = layer.self_attention
            normed = layer.norm1(x)
            q, k, v = (
                linear(normed).view(len(token), attention.num_heads, 1, -1)  # (B, H, 1, d)
                for linear in (attention.W_Q, attention.W_K, attention.W_V)
            )
            keys.append(k if old_keys is None else torch.cat([old_keys, k], dim=2))
            values.append(v if old_values is None else torch.cat([old_values, v], dim=2))
            weights = ((q * keys[-1]).sum(dim=3) / q.shape[3] ** 0.5).softmax(dim=2)  # (B, H, length + 1)
            seen = (weights.unsqueeze(3) * values[-1]).sum(dim=2)  # (B, H, d)
            x = x + attention.W_O(seen.flatten(1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.keys, self.values, self.length = keys, values, self.length + 1
        return model.norm(x)


# %% correct: old and new keys apart, under one softmax
class KeyValueCache(nn.Module):
    """Reads on where it stopped: keys and values of tokens once read are kept for later."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens: Tensor) -> Tensor:
        model, first = self.model, self.length
        batch, count = tokens.shape
        here = torch.arange(count, device=tokens.device)
        if first + count > len(model.positions.weight):
            raise ValueError(f"no position for token {first + count - 1}")
        x = model.token_embedding(tokens) + F.embedding(here + first, model.positions.weight)
        future = here > here.unsqueeze(1)  # among the new ones
        keys, values = [], []
        for i, layer in enumerate(model.layers):
            part = layer.self_attention
            normed, heads = layer.norm1(x), part.num_heads
            q = part.W_Q(normed).unflatten(2, (heads, -1))  # (B, T, H, d)
            k, v = (W(normed).unflatten(2, (heads, -1)).transpose(1, 2) for W in (part.W_K, part.W_V))
            past_k = k[:, :, :0] if self.keys[i] is None else self.keys[i]
            past_v = v[:, :, :0] if self.values[i] is None else self.values[i]
            to_past = torch.einsum("bthd,bhsd->bhts", q, past_k)
            to_new = torch.einsum("bthd,bhsd->bhts", q, k).masked_fill(future, -math.inf)
            scores = torch.cat([to_past, to_new], dim=3) / math.sqrt(q.shape[3])
            on_past, on_new = scores.softmax(dim=3).split([past_k.shape[2], count], dim=3)
            seen = torch.einsum("bhts,bhsd->bthd", on_past, past_v) + torch.einsum("bhts,bhsd->bthd", on_new, v)
            x = x + part.W_O(seen.reshape(batch, count, -1))
            x = x + layer.feed_forward(layer.norm2(x))
            keys.append(torch.cat([past_k, k], dim=2))
            values.append(torch.cat([past_v, v], dim=2))
        self.keys, self.values, self.length = keys, values, first + count
        return F.linear(model.norm(x), model.token_embedding.weight)
