# %% wrong: the token that went in says who has ended
# A row counts as ended where the token before is eos_id; at the first step that token is bos_id.
# Shows where bos_id and eos_id are one id: every row is eos_id from the first token on.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        best = logits.argmax(dim=-1)
        token = torch.where(token == eos_id, token, best)
        written.append(token)
        if (token == eos_id).all():
            break
    return torch.stack(written, dim=1)

# %% wrong: the ended rows tidied up afterwards
# Stops only when all rows choose eos_id in the same step, and overwrites what follows each row's end after the loop.
# Shows where rows end at different steps and would write on: T is longer than the longest row needs.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    columns = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        columns.append(token)
        if (token == eos_id).all():
            break
    tokens = torch.stack(columns, dim=1)
    is_end = (tokens == eos_id).long()
    after_end = is_end.cumsum(dim=1) - is_end > 0
    return tokens.masked_fill(after_end, eos_id)

# %% wrong: stopped before the last column is kept
# The loop breaks when all rows have ended and only then would append: the last eos_id is never written down.
# Shows wherever all rows end before max_length: T is one too short, and stack([]) raises where all end at once.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        token[ended] = eos_id
        ended = ended | (token == eos_id)
        if ended.all():
            break
        tokens.append(token)
    return torch.stack(tokens, dim=1)

# %% wrong: the begin token counted in max_length
# The list starts with bos_id and its length is compared with max_length, so one token less is written.
# Shows where no row ends in time: T is max_length - 1, and 0 for max_length = 1.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = [token]
    finished = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    while len(tokens) < max_length and not finished.all():
        logits, state = step(tokens[-1], state)
        best = logits.argmax(dim=1)
        best = torch.where(finished, eos_id, best)
        finished |= best == eos_id
        tokens.append(best)
    return torch.stack(tokens, dim=1)[:, 1:]

# %% correct: a sheet of end tokens, filled in by the rows that go on

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    sheet = torch.full((max_length, first.shape[0]), eos_id, device=first.device)
    writing = torch.ones(first.shape[0], dtype=torch.bool, device=first.device)
    used = 0
    while used < max_length and writing.any():
        logits, state = step(token, state)
        sheet[used, writing] = logits[writing].argmax(dim=1)
        token = sheet[used].clone()
        writing = writing & (token != eos_id)
        used += 1
    return sheet[: max(used, 1)].t().contiguous()

# %% correct: a generator, and a countdown of open rows

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    def columns(token, state):
        still_open = [True] * len(token)
        for _ in range(max_length):
            logits, state = step(token, state)
            best = logits.max(dim=1).indices.tolist()
            best = [b if is_open else eos_id for b, is_open in zip(best, still_open, strict=True)]
            still_open = [is_open and b != eos_id for b, is_open in zip(best, still_open, strict=True)]
            token = torch.tensor(best, dtype=torch.long, device=first.device)
            yield token
            if not any(still_open):
                return

    return torch.stack(tuple(columns(token, state)), dim=-1)
