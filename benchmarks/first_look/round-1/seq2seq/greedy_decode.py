# %% wrong: the begin token ends it
# Which rows have ended is read off the token that was fed in last, bos_id included: where bos_id equals eos_id every row ends before its first word. A good message: "with one id for both nothing but eos comes out: bos_id fed in ends nothing".

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    ended = token == eos_id
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)

# %% wrong: ended rows go on
# Stops when all rows write eos_id at the same step; a row that ended earlier goes on writing words behind its end. A good message: "after a row's first eos_id another token stands: remember who has ended".

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        written.append(token)
        if (token == eos_id).all():
            break
    return torch.stack(written, dim=1)

# %% wrong: stops before the last end is written
# The test for "all ended" stands before the append: the longest row loses its eos_id, and where all end at once nothing is left to stack. A good message: "the longest row has no eos_id: append first, then look".

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    done = torch.zeros_like(token, dtype=torch.bool)
    tokens = torch.empty(len(token), 0, dtype=torch.long, device=token.device)
    for _ in range(max_length):
        logits, state = step(token, state)
        token = torch.where(done, eos_id, logits.argmax(1))
        done |= token == eos_id
        if bool(done.all()):
            break
        tokens = torch.cat([tokens, token[:, None]], dim=1)
    return tokens

# %% correct: a sheet full of eos, written column by column

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    sheet = token.new_full((len(token), max_length), eos_id)
    writing = torch.ones_like(token, dtype=torch.bool)
    for column in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        sheet[writing, column] = token[writing]
        writing &= token != eos_id
        if not writing.any():
            return sheet[:, : column + 1]
    return sheet

# %% correct: everybody writes on, the rest is wiped out afterwards

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    def words(token, state):
        while True:
            logits, state = step(token, state)
            token = logits.max(dim=1).indices
            yield token

    columns, waiting = [], set(range(len(token)))
    for column in words(token, state):
        columns.append(column)
        waiting -= {b for b, word in enumerate(column.tolist()) if word == eos_id}
        if not waiting or len(columns) == max_length:
            break
    tokens = torch.stack(columns).T
    ends_before = (tokens == eos_id).long().cumsum(1).roll(1, 1)
    ends_before[:, 0] = 0
    return tokens.masked_fill(ends_before > 0, eos_id)
