# %% wrong: the begin token can end a row
# ended starts with the token that is fed in. Where bos_id and eos_id are the same id, every row counts as ended before it
# has written a word, and a single column of eos_id comes back.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = token == eos_id
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: the loop stops before the last end token is kept
# The test stands before the append. The row that ends last loses its eos_id; where all rows write eos_id at once, the list
# is empty and stack raises.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    tokens = []
    while len(tokens) < max_length:
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        token = torch.where(ended, eos_id, token)
        ended |= token == eos_id
        if ended.all():
            break
        tokens.append(token)
    return torch.stack(tokens, dim=1)


# %% wrong: ended rows are filled with padding
# Behind a row's end stands PAD_ID, as in the batches of targets, where the docstring asks for eos_id. It shows where the
# rows end at different steps.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    columns = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        token[ended] = PAD_ID
        columns.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(columns, dim=1)


# %% wrong: it stops only where all rows write the end at the same step
# The test looks at this step's raw tokens and not at the rows that have ended. Where a row that has ended would go on
# writing something else, the loop runs to max_length, and T is longer than any row needs.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token).bool()
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        tokens.append(token.masked_fill(ended, eos_id))
        if (token == eos_id).all():
            break
        ended = ended | (token == eos_id)
    return torch.stack(tokens, dim=1)


# %% correct: plain lists, one for each row

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    rows = [[] for _ in range(first.shape[0])]
    still = set(range(len(rows)))
    for _ in range(max_length):
        logits, state = step(token, state)
        best = logits.max(dim=1).indices.tolist()
        for b, row in enumerate(rows):
            row.append(best[b] if b in still else eos_id)
        still = {b for b in still if best[b] != eos_id}
        if not still:
            break
        token = torch.tensor([row[-1] for row in rows], device=first.device)
    return torch.tensor(rows, device=first.device)


# %% correct: counts of the words that each row needs, and one fill at the end

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    needed = torch.full_like(token, max_length)  # how many words, the end token included
    written, t = token.new_empty(len(token), 0), 0
    while t < int(needed.max()):
        logits, state = step(token, state)
        token, t = logits.topk(1, dim=1).indices.squeeze(1), t + 1
        written = torch.cat([written, token.unsqueeze(1)], dim=1)
        needed = torch.where(token == eos_id, needed.clamp(max=t), needed)
    late = torch.arange(t, device=written.device) >= needed.unsqueeze(1)
    return written.masked_fill(late, eos_id)
