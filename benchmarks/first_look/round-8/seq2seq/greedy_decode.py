# %% wrong: a row counts as ended when its first token going in is eos_id
# ended begins as token == eos_id: where bos_id equals eos_id every row is over before it has begun.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    for _ in range(max_length):
        ended = token == eos_id
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        written.append(token)
        if (token == eos_id).all():
            break
    return torch.stack(written, dim=1)


# %% wrong: padding behind the end
# Rows that have ended are filled with PAD_ID, where the docstring asks for eos_id.
# Shows where rows end at different times.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = torch.where(ended, PAD_ID, logits.argmax(dim=-1))
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: stops before the last end token is kept
# The break stands before the append, so the longest row loses its eos_id, and where all rows end at once
# on the first token nothing is left to stack.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        token[ended] = eos_id
        ended = ended | (token == eos_id)
        if ended.all():
            break
        written.append(token)
    return torch.stack(written, dim=1)


# %% wrong: always max_length columns
# Fills a buffer of (B, max_length) with eos_id and never cuts it to what the longest row needs.
# Shows where all rows end before max_length.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = torch.full((first.shape[0], max_length), eos_id, device=first.device)
    ended = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    for t in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        token = torch.where(ended, torch.full_like(token, eos_id), token)
        written[:, t] = token
        ended |= token == eos_id
        if ended.all():
            break
    return written


# %% correct: the rows run on, and what stands behind an end is overwritten at last

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    raw, still_open = [], set(range(first.shape[0]))
    while still_open and len(raw) < max_length:
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        raw.append(token)
        still_open -= {b for b, word in enumerate(token.tolist()) if word == eos_id}
    tokens = torch.stack(raw).t()
    ends = (tokens == eos_id).long()
    before = ends.cumsum(dim=1) - ends  # how many end tokens stand before each place
    return tokens.masked_fill(before > 0, eos_id)


# %% correct: a generator of columns, with numbers in place of a mask

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    def columns(token, state):
        alive = torch.ones_like(token)
        for _ in range(max_length):
            logits, state = step(token, state)
            token = alive * logits.max(dim=1).indices + (1 - alive) * eos_id
            yield token
            alive = alive * (token != eos_id)
            if alive.sum() == 0:
                return

    return torch.cat([column.unsqueeze(1) for column in columns(token, state)], dim=1)
