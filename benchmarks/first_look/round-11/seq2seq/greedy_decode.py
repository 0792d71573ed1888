# %% wrong: ended rows write on
# Which rows have ended is noted and the loop stops in time, but a row that ended early goes on writing: two rows, of which
# one ends at step 0 and the other at step 2, and other tokens than eos_id stand after the first one's end.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        tokens.append(token)
        ended |= token == eos_id
        if ended.all():
            break
    return torch.stack(tokens, dim=1)

# %% wrong: the begin token can end a row
# ended starts from the token fed in first: where bos_id and eos_id are the same id, all rows count as ended, and one column
# of eos_id comes back whatever the model writes.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = token == eos_id
    written = []
    while len(written) < max_length:
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=1))
        ended = ended | (token == eos_id)
        written.append(token)
        if ended.all():
            break
    return torch.stack(written, dim=1)

# %% wrong: stops before the last end token is kept
# The loop is left before the column is kept, so the longest row loses its eos_id; where all rows end at once at the first
# step nothing is left to stack, and torch raises.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(len(token), dtype=torch.bool, device=token.device)
    columns = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        ended = ended | (token == eos_id)
        if bool(ended.all()):
            break
        columns.append(token)
    return torch.stack(columns, dim=1)

# %% wrong: an ended row comes back to life
# Ended is what was *chosen* at the last step, not what was written: a row that chose eos_id at step 0 and something else at
# step 1 (overwritten) writes on from step 2, while another row is still going.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    columns, over = [], torch.zeros_like(ended)
    for _ in range(max_length):
        logits, state = step(token, state)
        chosen = logits.argmax(dim=1)
        token = torch.where(ended, eos_id, chosen)
        columns.append(token)
        ended = chosen == eos_id
        over = over | (token == eos_id)
        if over.all():
            break
    return torch.stack(columns, dim=1)

# %% correct: a generator of columns

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    def columns(token, state):
        going = torch.ones_like(token)  # 1: still writing
        for _ in range(max_length):
            logits, state = step(token, state)
            token = torch.where(going.bool(), logits.topk(1, dim=1).indices[:, 0], eos_id)
            yield token
            going = going * token.ne(eos_id)
            if not going.any():
                return

    return torch.stack(tuple(columns(token, state)), dim=-1)

# %% correct: a Python list for each row, filled up at the end

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    rows = [[] for _ in range(len(token))]
    unfinished = set(range(len(rows)))
    for _ in range(max_length):
        logits, state = step(token, state)
        best = logits.max(dim=1).indices.tolist()
        for b in sorted(unfinished):
            rows[b].append(best[b])
            if best[b] == eos_id:
                unfinished.discard(b)
        if not unfinished:
            break
        token = torch.tensor([row[-1] for row in rows], device=first.device)
    longest = max(map(len, rows))
    return torch.tensor([row + [eos_id] * (longest - len(row)) for row in rows], device=first.device)
