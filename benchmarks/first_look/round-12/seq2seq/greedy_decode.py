# %% wrong: ended rows go on writing
# It is noted which rows have ended, but their later tokens are kept as the model writes them.
# Shows where one row ends before another.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    written = []
    while len(written) < max_length and not ended.all():
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        written.append(token)
        ended = ended | (token == eos_id)
    return torch.stack(written, dim=1)

# %% wrong: stops before the last end token is kept
# The loop breaks as soon as all rows have ended, and the column that ended the last one is not kept.
# Shows wherever all rows end: the longest row lacks its eos_id (and where all end at once, nothing is there to stack).

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        ended |= token == eos_id
        if ended.all():
            break
        tokens.append(token)
    return torch.stack(tokens, dim=1)

# %% wrong: the begin token can end a row
# A row counts as ended if the token that goes in is eos_id, the first one, bos_id, included.
# Shows where bos_id and eos_id are the same id: all rows are taken to have ended before anything is written.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    columns = []
    for _ in range(max_length):
        ended = token == eos_id
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=-1))
        columns.append(token)
        if (token == eos_id).all():
            break
    return torch.stack(columns, dim=1)

# %% wrong: only rows that are still writing, of a state that is a tuple
# Rows that have ended are dropped from the batch, but the state is always taken apart as a tuple.
# Shows where the state is a single tensor and some row ends early: its rows are taken for the parts.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    result = torch.full((first.shape[0], max_length), eos_id, device=first.device)
    rows = torch.arange(first.shape[0], device=first.device)  # which rows are still writing
    for t in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        result[rows, t] = token
        going_on = token != eos_id
        if not going_on.any():
            return result[:, : t + 1]
        if not going_on.all():
            rows, token = rows[going_on], token[going_on]
            state = tuple(part[going_on] for part in state)
    return result

# %% correct: a sheet full of end tokens

# The result is made beforehand and overwritten where a row still writes; the count of columns used is cut off at the end.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    sheet = torch.full((first.shape[0], max_length), eos_id, device=first.device)
    writing = torch.ones(first.shape[0], dtype=torch.bool, device=first.device)
    used = 0
    while used < max_length and bool(writing.any()):
        logits, state = step(token, state)
        best = logits.topk(1, dim=1).indices[:, 0]
        sheet[writing, used] = best[writing]
        token = sheet[:, used].clone()
        writing = writing & (token != eos_id)
        used += 1
    return sheet[:, :used]

# %% correct: arithmetic of living rows in a generator

# A row's life is a factor of 1 or 0, multiplied by "not the end" at each turn; tokens are blended by it.

def _turns(step, token, state, eos_id, max_length):
    alive = torch.ones_like(token)
    for _ in range(max_length):
        logits, state = step(token, state)
        token = alive * logits.max(dim=-1).indices + (1 - alive) * eos_id
        yield token
        alive = alive * token.ne(eos_id).to(alive.dtype)
        if alive.sum().item() == 0:
            return


def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    return torch.stack(list(_turns(step, token, state, eos_id, max_length))).T
