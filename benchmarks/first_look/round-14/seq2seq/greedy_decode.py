# %% wrong: the begin token counts as written
# Asks of the first token fed in whether it ends the row. Shows where bos_id and eos_id are the same id: every row has
# ended before anything is written, and the result is a column of eos_id.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    ended = token == eos_id
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        tokens.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: as wide as it might have been
# Fills a table of max_length columns with eos_id and returns all of it, however early the rows ended. Shows where every
# row ends before max_length: T is longer than the longest row needs.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = torch.full((len(token), max_length), eos_id, device=token.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    for t in range(max_length):
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=1))
        written[:, t] = token
        ended |= token == eos_id
        if ended.all():
            break
    return written


# %% wrong: one turn after the last
# Looks whether all rows have ended before it notes those that end now, so it takes one more step after the last row's
# eos_id. Shows where every row ends before max_length: a last column of nothing but eos_id.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    ended = torch.zeros_like(token, dtype=torch.bool)
    while len(tokens) < max_length:
        logits, state = step(token, state)
        token = torch.where(ended, torch.full_like(token, eos_id), logits.argmax(dim=1))
        tokens.append(token)
        if ended.all():
            break
        ended = ended | (token == eos_id)
    return torch.stack(tokens, dim=1)


# %% wrong: the first state again and again
# Throws the state away that step returns. Shows with any step whose logits depend on the state, such as a script that
# counts its calls in it: each token depends on the one before it alone.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    ended = torch.zeros_like(token, dtype=torch.bool)
    for _ in range(max_length):
        logits, _ = step(token, state)
        token = logits.argmax(dim=1)
        token = torch.where(ended, torch.full_like(token, eos_id), token)
        tokens.append(token)
        ended = ended | token.eq(eos_id)
        if bool(ended.all()):
            break
    return torch.stack(tokens, dim=1)


# %% correct: arithmetic with a row's life

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    alive = torch.ones_like(token)  # 1 until the row has ended
    written = token.new_empty(len(token), 0)
    while written.shape[1] < max_length and int(alive.sum()) > 0:
        logits, state = step(token, state)
        best = logits.topk(1, dim=1).indices.squeeze(1)
        token = alive * best + (1 - alive) * eos_id
        alive = alive * (token != eos_id).long()
        written = torch.cat([written, token.unsqueeze(1)], dim=1)
    return written


# %% correct: a list of plain ids for each row

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    rows = [[] for _ in range(len(token))]
    for _ in range(max_length):
        logits, state = step(token, state)
        for row, choice in zip(rows, logits.max(dim=1).indices.tolist(), strict=True):
            row.append(eos_id if row and row[-1] == eos_id else choice)
        if all(row[-1] == eos_id for row in rows):
            break
        token = torch.tensor([row[-1] for row in rows], device=first.device)
    return torch.tensor(rows, device=first.device)
