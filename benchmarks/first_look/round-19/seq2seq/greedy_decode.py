# %% wrong: the first token fed in can end a row
# `ended` is taken from the token that goes in, bos_id. Where bos_id and eos_id are the same number, every row counts
# as ended before it has written anything, and all that comes back is one column of eos_id.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    for _ in range(max_length):
        ended = token == eos_id
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=-1))
        written.append(token)
        if (token == eos_id).all():
            break
    return torch.stack(written, dim=1)


# %% wrong: stops before the last column is kept
# The test for the end comes before the token is kept, so the end token of the longest row is missing: T is one too
# short where all rows end before max_length. (Where all end at once, an empty result is avoided.)

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    columns = []
    while len(columns) < max_length:
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        ended = ended | (token == eos_id)
        if ended.all() and columns:
            break
        columns.append(token)
    return torch.stack(columns, dim=1)


# %% wrong: ended rows filled with padding
# After its first end token a row goes on with PAD_ID, as targets do; the docstring wants eos_id there. Shows for two
# rows that end at different steps.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(len(token), dtype=torch.bool, device=first.device)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        token[ended] = PAD_ID
        tokens.append(token)
        ended |= token == eos_id
        if ended.all():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: only the rows that go on are fed
# To save work, ended rows are taken out of token and state. Every call should be fed all B rows: a step that keeps
# something of its own for each row, e.g. its sources (B, S, H), fails or gets rows mixed once one has ended.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    alive = torch.arange(first.shape[0], device=first.device)
    columns = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        column = torch.full((first.shape[0],), eos_id, device=first.device)
        column[alive] = token
        columns.append(column)
        going = token != eos_id
        if not going.any():
            break
        alive, token = alive[going], token[going]
        state = tuple(part[going] for part in state) if isinstance(state, tuple) else state[going]
    return torch.stack(columns, dim=1)


# %% correct: a table full of end tokens, of which what is needed is cut out
def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    table = torch.full((first.shape[0], max_length), eos_id, device=first.device)
    writing = torch.ones(first.shape[0], dtype=torch.bool, device=first.device)
    used = 0
    while used < max_length and bool(writing.any()):
        logits, state = step(token, state)
        best = logits.max(dim=1).indices
        table[writing, used] = best[writing]
        token = table[:, used].clone()
        writing = writing & (token != eos_id)
        used += 1
    return table[:, :used].clone()


# %% correct: written as it comes, and cleaned up afterwards
def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    columns, open_rows = [], set(range(len(token)))
    while open_rows and len(columns) < max_length:
        logits, state = step(token, state)
        token = logits.topk(1, dim=1).indices[:, 0]
        columns.append(token)
        open_rows -= {b for b, written in enumerate(token.tolist()) if written == eos_id}
    tokens = torch.stack(columns, dim=1)  # what a row writes after its end is still in there
    before = (tokens == eos_id).long().cumsum(dim=1)
    return torch.where(before > 0, eos_id, tokens)
