# %% wrong: finished rows go on writing
# What the model writes in a row after its end token is kept. Overwrite it with eos_id.

# --- before
        token = logits.argmax(dim=1).masked_fill(finished, eos_id)
# --- after
        token = logits.argmax(dim=1)

# %% wrong: rows that have ended are filled with 0
# Rows that have ended are filled with token 0, as padding often is. The docstring fills them with eos_id.

# --- before
        token = logits.argmax(dim=1).masked_fill(finished, eos_id)
# --- after
        token = logits.argmax(dim=1).masked_fill(finished, 0)

# %% wrong: the begin token counts as an end
# A row is frozen when the token fed in is eos_id, and where one id serves for both, the begin token freezes it before
# it has written anything. Remember which rows have WRITTEN their end.

# --- before
        token = logits.argmax(dim=1).masked_fill(finished, eos_id)
# --- after
        token = torch.where(token == eos_id, token, logits.argmax(dim=1))

# %% wrong: it stops when the first row ends
# The shortest sentence of the batch stops all the others. Go on until EVERY row has ended.

# --- before
        if finished.all():
# --- after
        if finished.any():

# %% wrong: it always writes max_length tokens
# What comes back is longer than the longest answer: nothing stops the loop once all rows have ended, or its unused last
# columns come back too. Check at the end of each turn whether every row has ended, and cut what was not written.

# --- before
        if finished.all():
            break
# --- after

# %% wrong: every row is fed with bos_id again
# Each step is fed with the begin token. From the second step on it is fed with the token just written: that is how
# errors feed back.

# --- before
        logits, state = step(token, state)
# --- after
        logits, state = step(torch.full_like(token, bos_id), state)

# %% wrong: the state is not handed on
# Each step gets the first state again, as if nothing had been written. Keep the state that step returns.

# --- before
        logits, state = step(token, state)
# --- after
        logits, _ = step(token, state)

# %% wrong: bos_id is part of what comes back
# The begin token stands in the first column. It is fed in, not written.

# --- before
    written = []
# --- after
    written = [token]

# %% wrong: rows and time are swapped
# What comes back is (T, B). Batch first: stack along dimension 1.

# --- before
    return torch.stack(written, dim=1)
# --- after
    return torch.stack(written, dim=0)

# %% wrong: no guard
# What is written is right, but the stub's first lines are gone, which raise ValueError for a max_length below 1. Put
# them back.

# --- before
    if max_length < 1:
# --- after
    if False:

# %% correct: a filled table, cut at the end
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    B = (state[0] if isinstance(state, tuple) else state).shape[0]
    out = torch.full((B, max_length), eos_id)
    token, alive = torch.full((B,), bos_id), torch.ones(B, dtype=torch.bool)
    for t in range(max_length):
        logits, state = step(token, state)
        token = torch.where(alive, logits.max(dim=1).indices, torch.tensor(eos_id))
        out[:, t] = token
        alive = alive & (token != eos_id)
        if not alive.any():
            return out[:, : t + 1]
    return out

# %% correct: everything written, then cut
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token, columns = torch.full((len(first),), bos_id), []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(-1)
        columns.append(token)
    tokens = torch.stack(columns, 1)
    ended = (tokens == eos_id).int()
    tokens = tokens.masked_fill(ended.cumsum(1) - ended > 0, eos_id)
    needed = ((tokens != eos_id).sum(1).max() + 1).clamp(max=max_length)
    return tokens[:, : int(needed)]

# %% correct: growing by concatenation, rows as lists of flags
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    tokens = torch.full((first.size(0), 1), bos_id, dtype=torch.long)
    while tokens.size(1) <= max_length:
        logits, state = step(tokens[:, -1], state)
        following = torch.softmax(logits, dim=-1).argmax(dim=-1, keepdim=True)
        finished = (tokens[:, 1:] == eos_id).any(dim=1, keepdim=True)
        following[finished] = eos_id
        tokens = torch.cat([tokens, following], dim=1)
        if bool((tokens[:, 1:] == eos_id).any(dim=1).all()):
            break
    return tokens[:, 1:]

# %% correct: arithmetic instead of masks
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    going = torch.ones(first.shape[0], dtype=torch.long)
    token = going * bos_id
    written = []
    for _ in range(max_length):
        if written and going.sum() == 0:
            break
        logits, state = step(token, state)
        token = going * torch.topk(logits, 1, dim=1).indices[:, 0] + (1 - going) * eos_id
        going = going * (token != eos_id).long()
        written.append(token)
    return torch.stack(written).T

# %% correct: a list for each row
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    rows = [[] for _ in range(first.shape[0])]
    token = torch.tensor([bos_id] * len(rows))
    for _ in range(max_length):
        logits, state = step(token, state)
        for row, best in zip(rows, logits.argmax(dim=1).tolist()):
            row.append(eos_id if eos_id in row else best)
        token = torch.tensor([row[-1] for row in rows])
        if all(eos_id in row for row in rows):
            break
    return torch.tensor(rows)
