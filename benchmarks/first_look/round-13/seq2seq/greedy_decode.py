# %% wrong: stopped before the end token is kept
# The loop breaks before the last tokens are kept: the row that ends last lacks its eos_id, and where all rows
# begin with eos_id nothing is left to stack.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        ended = ended | (token == eos_id)
        if ended.all():
            break
        tokens.append(token)
    return torch.stack(tokens, dim=1)


# %% wrong: the first end stops all
# It stops as soon as one row has ended: shows for two rows of different lengths.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    while len(tokens) < max_length:
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        tokens.append(token)
        if (token == eos_id).any():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: the begin token counts as an end
# `ended` is set from the token that goes in first: where bos_id and eos_id are the same id, every row has ended
# before its first word.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens, ended = [], token == eos_id
    for _ in range(max_length):
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=-1))
        tokens.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: the ends are filled in afterwards, and the width stays
# It writes until all rows write eos_id in the same step, or to max_length, and overwrites at the end: the tokens
# are right, but T is longer than the longest row needs, where a row that has ended goes on with other words.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    columns = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        columns.append(token)
        if (token == eos_id).all():
            break
    tokens = torch.stack(columns, dim=1)
    after_the_end = (tokens == eos_id).cumsum(dim=1) > 0
    return tokens.masked_fill(after_the_end, eos_id)


# %% correct: written on, and cleaned at the end

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    still_writing, columns = set(range(len(token))), []
    while still_writing and len(columns) < max_length:
        logits, state = step(token, state)
        token = logits.topk(1, dim=-1).indices[:, 0]
        columns.append(token)
        still_writing -= {row for row, written in enumerate(token.tolist()) if written == eos_id}
    tokens = torch.stack(columns, dim=1)
    has_ended = (tokens == eos_id).int().cummax(dim=1).values.bool()
    return torch.where(has_ended, torch.full_like(tokens, eos_id), tokens)


# %% correct: an ended row is given scores that know the end only

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = torch.empty(len(token), 0, dtype=torch.int64, device=first.device)
    while True:
        logits, state = step(token, state)
        the_end = (torch.arange(logits.shape[1], device=logits.device) == eos_id).to(logits.dtype)
        ended = written.eq(eos_id).any(dim=1, keepdim=True)  # (B, 1)
        token = torch.where(ended, the_end, logits).argmax(dim=1)
        written = torch.cat([written, token[:, None]], dim=1)
        if written.shape[1] == max_length or written.eq(eos_id).any(dim=1).all():
            return written
