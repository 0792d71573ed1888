# %% wrong: the position starts again at 0
# New tokens took the positions from 0 on, whatever had been read before. Their positions come after those read:
# `length` says where to go on.

# --- before
        x = model.token_embedding(tokens) + model.positions.weight[past:now]
# --- after
        x = model.token_embedding(tokens) + model.positions.weight[: now - past]

# %% wrong: the keys are not kept
# New tokens met nothing but themselves: keys and values of earlier readings are lost. Put the joined tensors back for
# the next call.

# --- before
        self.keys[i], self.values[i] = keys, values
# --- after
        self.keys[i], self.values[i] = None, None

# %% wrong: new keys come first
# The new keys were put before the old ones, so the causal mask cuts the wrong columns. The old ones come first.

# --- before
            keys = torch.cat([self.keys[i], keys], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=2)
# --- after
            keys = torch.cat([keys, self.keys[i]], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([values, self.values[i]], dim=2)

# %% wrong: no mask among the new tokens
# Where several new tokens come at once, each saw those after it. They need the causal mask among themselves: the last
# rows of the mask for all tokens.

# --- before
        mask = places <= places[past:].unsqueeze(1)
# --- after
        mask = None

# %% wrong: the mask covers the new tokens alone
# The new tokens may see one another and nothing that was read before. They may attend to all earlier tokens too.

# --- before
        mask = places <= places[past:].unsqueeze(1)
# --- after
        mask = F.pad(causal_mask(now - past), (past, 0))

# %% wrong: everything is read again
# The logits are right, and nothing was saved: all tokens went through the model again. Send the new ones alone through
# the layers.

# --- before
        mask = places <= places[past:].unsqueeze(1)
# --- after
        self.seen = tokens if past == 0 else torch.cat([self.seen, tokens], dim=1)
        self.length = now
        return model(self.seen)[:, past:]

# %% wrong: one cache for all layers
# All layers share one list of keys and values, so each joins its own to another layer's. Every layer keeps its own.

# --- before
        if self.keys[i] is not None:
            keys = torch.cat([self.keys[i], keys], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=2)
        self.keys[i], self.values[i] = keys, values
# --- after
        if self.keys[0] is not None:
            keys = torch.cat([self.keys[0], keys], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[0], values], dim=2)
        self.keys[0], self.values[0] = keys, values

# %% wrong: all caches share their lists
# Two caches of one model write into the same lists. Each cache begins empty, with lists of its own.

# --- before
    def __init__(self, model):
# --- after
    shared = {}

    def __init__(self, model):
# --- before
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
# --- after
        self.keys = self.shared.setdefault((id(model), 'k'), [None] * len(model.layers))
        self.values = self.shared.setdefault((id(model), 'v'), [None] * len(model.layers))

# %% wrong: the residual is left out
# The attention's output replaced the stream where it should be added to it.

# --- before
            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
# --- after
            x = self._attend(i, layer.self_attention, layer.norm1(x), mask)

# %% wrong: a full window is not refused
# More tokens than positions did not raise what the docstring promises. Compare length + T with the number of rows of
# the position table, before anything is read.

# --- before
        if now > max_length:
# --- after
        now = min(now, max_length)
        tokens = tokens[:, : now - past]
        if False:

# %% wrong: a refused reading has been counted
# After a refused reading the cache counts its tokens as read. Check before anything changes.

# --- before
        max_length = len(model.positions.weight)
# --- after
        max_length = len(model.positions.weight)
        self.length = now

# %% wrong: it counts the positions by itself
# The positions come from a count of its own, so what is set from outside has keys, values and length, and the next
# tokens take the positions of another text. Take them from self.length. See section 7.9.

# --- before
        x = model.token_embedding(tokens) + model.positions.weight[past:now]
# --- after
        self.place = getattr(self, "place", 0) + now - past
        x = model.token_embedding(tokens) + model.positions.weight[self.place + past - now : self.place]

# %% correct: written out without a helper
class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens):
        B, T = tokens.shape
        if self.length + T > self.model.positions.weight.shape[0]:
            raise ValueError("the window is full")
        here = torch.arange(self.length, self.length + T, device=tokens.device)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[here]
        mask = here[:, None] >= torch.arange(self.length + T, device=tokens.device)[None, :]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            y = layer.norm1(x)
            q, k, v = (f(y).view(B, T, a.num_heads, -1).transpose(1, 2) for f in (a.W_Q, a.W_K, a.W_V))
            self.keys[i] = k if self.keys[i] is None else torch.cat((self.keys[i], k), 2)
            self.values[i] = v if self.values[i] is None else torch.cat((self.values[i], v), 2)
            out = F.scaled_dot_product_attention(q, self.keys[i], self.values[i], attn_mask=mask)
            x = x + a.W_O(out.transpose(1, 2).reshape(B, T, -1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T

# %% correct: one token at a time inside
class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens):
        if self.length + tokens.shape[1] > len(self.model.positions.weight):
            raise ValueError(f"no room for {tokens.shape[1]} more")
        return torch.cat([self.one(token) for token in tokens.split(1, dim=1)], dim=1)

    def one(self, token):
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            k, v = split_heads(attention.W_K(normed), attention.num_heads), split_heads(attention.W_V(normed), attention.num_heads)
            if self.length:
                k, v = torch.cat([self.keys[i], k], 2), torch.cat([self.values[i], v], 2)
            self.keys[i], self.values[i] = k, v
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)

# %% correct: room for the whole window in each call
class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens):
        room, D = self.model.positions.weight.shape
        start, stop = self.length, self.length + tokens.shape[1]
        if stop > room:
            raise ValueError(f"{stop} tokens for {room} positions")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start:stop]
        allowed = causal_mask(room)[start:stop].to(x.device)
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            held = x.new_zeros(2, len(tokens), a.num_heads, room, D // a.num_heads)
            if start:
                held[:, :, :, :start] = torch.stack([self.keys[i], self.values[i]])
            n = layer.norm1(x)
            held[:, :, :, start:stop] = torch.stack([split_heads(W(n), a.num_heads) for W in (a.W_K, a.W_V)]).detach()
            self.keys[i], self.values[i] = held[:, :, :, :stop]
            out, _ = scaled_dot_product_attention(split_heads(a.W_Q(n), a.num_heads), *held, allowed)
            x = x + a.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = stop
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)

# %% correct: joined where length is above 0
# --- before
        if self.keys[i] is not None:
# --- after
        if self.length > 0:

# %% correct: no mask where one token comes
# --- before
        mask = places <= places[past:].unsqueeze(1)
# --- after
        mask = None if now - past == 1 else causal_mask(now)[-(now - past) :].to(tokens.device)
