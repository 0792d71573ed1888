# %% wrong: the position starts again at 0
# New tokens took the positions from 0 on, whatever had been read before. Their positions come after those read:
# `length` says where to go on.

# --- before
        x = model.token_embedding(tokens) + model.positions.weight[past:now]
# --- after
        x = model.token_embedding(tokens) + model.positions.weight[: now - past]

# %% wrong: the position is one too far
# From the second reading on the positions are one too high. The first new token takes the position `length`: counting
# starts from 0.

# --- before
        x = model.token_embedding(tokens) + model.positions.weight[past:now]
# --- after
        x = model.token_embedding(tokens) + model.positions.weight[torch.arange(past + (past > 0), now + (past > 0)).clamp(max=max_length - 1)]

# %% wrong: the keys are not kept
# New tokens met nothing but themselves: keys and values of earlier readings are lost. Put the joined tensors back for
# the next call.

# --- before
        self.keys[i], self.values[i] = keys, values
# --- after
        self.keys[i], self.values[i] = None, None

# %% wrong: only the newest keys are kept
# Each reading overwrote the cache with its own keys and values, so that only the last piece is remembered. Keep the
# joined ones.

# --- before
        )
# --- after
        )
        fresh = keys, values
# --- before
        self.keys[i], self.values[i] = keys, values
# --- after
        self.keys[i], self.values[i] = fresh

# %% wrong: the values are not joined
# The keys go back to the beginning, the values do not. Both are kept, and joined in the same order.

# --- before
            values = torch.cat([self.values[i], values], dim=2)
# --- after
            values = torch.cat([self.values[i][:, :, :0], values.repeat(1, 1, keys.shape[2], 1)[:, :, : keys.shape[2]]], dim=2)

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
        mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)
# --- after
        mask = None  # the rows of the new tokens: (T, now)

# %% wrong: the mask covers the new tokens alone
# The new tokens may see one another and nothing that was read before. They may attend to all earlier tokens too.

# --- before
        mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)
# --- after
        mask = F.pad(causal_mask(now - past), (past, 0))  # the rows of the new tokens: (T, now)

# %% wrong: the first rows of the mask
# The mask's first rows are those of the first tokens. The new tokens are the last ones, so theirs are the last rows.

# --- before
        mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)
# --- after
        mask = causal_mask(now)[: now - past]  # the rows of the new tokens: (T, now)

# %% wrong: everything is read again
# The logits are right, and nothing was saved: all tokens went through the model again. Send the new ones alone through
# the layers.

# --- before
        mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)
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

# %% wrong: the second norm is left out
# The feed-forward reads the stream without its norm. With the norm first, each part reads the normed stream and adds
# to the plain one.

# --- before
            x = x + layer.feed_forward(layer.norm2(x))
# --- after
            x = x + layer.feed_forward(x)

# %% wrong: the residual is left out
# The attention's output replaced the stream where it should be added to it.

# --- before
            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
# --- after
            x = self._attend(i, layer.self_attention, layer.norm1(x), mask)

# %% wrong: no output projection
# The heads were merged and not projected: W_O is missing.

# --- before
        return attention.W_O(merge_heads(output))
# --- after
        return merge_heads(output)

# %% wrong: a full window is not refused
# More tokens than positions did not raise what the docstring promises. Compare length + T with the number of rows of
# the position table, before anything is read.

# --- before
            raise ValueError(f"{past} tokens are read and {now - past} are new, the model has {max_length} positions")
# --- after
            now = max_length
            tokens = tokens[:, : now - past]

# %% wrong: a refused reading has been counted
# After a reading was refused the cache took its tokens for read. Nothing may change before the check.

# --- before
        max_length = len(model.positions.weight)
# --- after
        max_length = len(model.positions.weight)
        self.length = now

# %% wrong: joined along the heads
# Keys and values were joined along the axis of the heads. In (B, H, length, D / H) the places are the third axis.

# --- before
            keys = torch.cat([self.keys[i], keys], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=2)
# --- after
            keys = torch.cat([self.keys[i], keys], dim=1)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=1)

# %% wrong: length stays 0
# `length` was never moved on, so each reading takes itself for the first: positions from 0 and a mask too small. Add
# the number of new tokens at the end.

# --- before
        self.length = now
# --- after

# %% wrong: length is not kept
# The logits are right, and `length` does not say how many tokens were read. Move it on at the end of each reading.

# --- before
        model, past, now = self.model, self.length, self.length + tokens.shape[1]
# --- after
        past = 0 if self.keys[0] is None else self.keys[0].shape[2]
        model, now = self.model, past + tokens.shape[1]
# --- before
        self.length = now
# --- after

# %% wrong: the cache is filled and not used
# Keys and values are kept, and then the layer ran on the new tokens alone, so what was kept is never looked at. Let
# the new queries attend to the joined keys.

# --- before
            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
            x = x + layer.feed_forward(layer.norm2(x))
# --- after
            self._attend(i, layer.self_attention, layer.norm1(x), mask)
            x = layer(x, causal_mask(now - past))

# %% wrong: keys and values are kept unsplit
# The logits are right, and what is kept has another form than promised: (B, H, length, D / H), split into heads.

# --- before
            split_heads(project(x), attention.num_heads)  # (B, T, D) -> (B, H, T, D / H)
# --- after
            project(x)
# --- before
            keys = torch.cat([self.keys[i], keys], dim=2)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=2)
        self.keys[i], self.values[i] = keys, values
# --- after
            keys = torch.cat([self.keys[i], keys], dim=1)  # (B, H, past + T, D / H)
            values = torch.cat([self.values[i], values], dim=1)
        self.keys[i], self.values[i] = keys, values
        queries, keys, values = (split_heads(x, attention.num_heads) for x in (queries, keys, values))

# %% wrong: the model is put into training mode
# Reading put the model into training mode, where dropout acts. The mode is the caller's business.

# --- before
        model, past, now = self.model, self.length, self.length + tokens.shape[1]
# --- after
        model, past, now = self.model, self.length, self.length + tokens.shape[1]
        model.train()

# %% wrong: the first norm is left out
# Queries, keys and values were made from the stream without its norm. With the norm first, each part reads the normed
# stream and adds to the plain one.

# --- before
            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
# --- after
            x = x + self._attend(i, layer.self_attention, x, mask)

# %% wrong: no residual around the feed-forward
# The feed-forward's output replaced the stream where it should be added to it.

# --- before
            x = x + layer.feed_forward(layer.norm2(x))
# --- after
            x = layer.feed_forward(layer.norm2(x))

# %% wrong: no last norm
# The stream went into the logits without the model's last norm. Finish as the model does.

# --- before
        return F.linear(model.norm(x), model.token_embedding.weight)
# --- after
        return F.linear(x, model.token_embedding.weight)

# %% wrong: the scores are not scaled
# The attention scores were not divided by the root of the heads' width. scaled_dot_product_attention does it.

# --- before
        output, _ = scaled_dot_product_attention(queries, keys, values, mask)
# --- after
        output = (queries @ keys.transpose(2, 3)).masked_fill(~mask, -torch.inf).softmax(dim=-1) @ values

# %% wrong: a mask at the first reading only
# The first reading has its mask, and later ones have none: where several new tokens come at once, each saw those after
# it.

# --- before
        mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)
# --- after
        mask = causal_mask(now) if past == 0 else None  # the rows of the new tokens: (T, now)

# %% wrong: heads cut by view
# The heads were cut with one view, which mixes places and columns as soon as there is more than one place. split_heads
# splits the width first and then exchanges the axes.

# --- before
            split_heads(project(x), attention.num_heads)  # (B, T, D) -> (B, H, T, D / H)
# --- after
            project(x).view(len(x), attention.num_heads, x.shape[1], -1)  # (B, T, D) -> (B, H, T, D / H)

# %% wrong: the layers' inputs are kept, and keys and values made anew
# The inputs of the layers were kept, and the keys and values of all tokens are made from them again at each reading.
# Keep what W_K and W_V have made of them.

# --- before
            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
# --- after
            new = layer.norm1(x)
            self.keys[i] = new if past == 0 else torch.cat([self.keys[i], new], dim=1)
            self.values[i] = self.keys[i]
            x = x + layer.self_attention(new, self.keys[i], self.values[i], mask)[0]

# %% wrong: only the last place's logits
# Only the newest place's logits came back. All the new tokens have theirs: (B, T, V).

# --- before
        return F.linear(model.norm(x), model.token_embedding.weight)
# --- after
        return F.linear(model.norm(x[:, -1:]), model.token_embedding.weight)

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
        here = torch.arange(self.length, self.length + T)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[here]
        mask = here[:, None] >= torch.arange(self.length + T)[None, :]
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

# %% correct: room for the whole window from the start

class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length, self.room = 0, []

    def forward(self, tokens):
        room, D = self.model.positions.weight.shape
        start, stop = self.length, self.length + tokens.shape[1]
        if stop > room:
            raise ValueError(f"{stop} tokens for {room} positions")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start:stop]
        allowed = causal_mask(room)[start:stop]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            if start == 0:
                shape = 2, len(tokens), a.num_heads, room, D // a.num_heads
                self.room.append(torch.zeros(shape, dtype=x.dtype))
            n = layer.norm1(x)
            self.room[i][0, :, :, start:stop] = split_heads(a.W_K(n), a.num_heads).detach()
            self.room[i][1, :, :, start:stop] = split_heads(a.W_V(n), a.num_heads).detach()
            self.keys[i], self.values[i] = self.room[i][:, :, :, :stop]
            out, _ = scaled_dot_product_attention(split_heads(a.W_Q(n), a.num_heads), *self.room[i], allowed)
            x = x + a.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = stop
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)

# %% correct: joined where length is above 0

# --- before
            x = x + layer.feed_forward(layer.norm2(x))
# --- after
            x = torch.add(x, layer.feed_forward(layer.norm2(x)))
# --- before
        if self.keys[i] is not None:
# --- after
        if self.length > 0:

# %% correct: no mask where one token comes

# --- before
        mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)
# --- after
        mask = None if now - past == 1 else causal_mask(now)[-(now - past) :]  # the rows of the new tokens: (T, now)
