# %% wrong: the row's end is looked for in all that was fed
# A row has ended if eos_id is anywhere in its tokens, the bos_id at the front included. Shows where bos_id == eos_id: every row has "ended"
# after the first token.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = token.unsqueeze(1)  # (B, 1), grows to (B, 1 + T)
    for _ in range(max_length):
        logits, state = step(tokens[:, -1], state)
        ended = (tokens == eos_id).any(dim=1)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)
        if (tokens == eos_id).any(dim=1).all():
            break
    return tokens[:, 1:]

# %% wrong: bos_id may never be written
# "Without bos_id" is taken for a ban: its logit is set to minus infinity at every step. Shows for a step whose most likely token is bos_id,
# which is then a token like any other (and for bos_id == eos_id no row can end).

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    written = []
    while len(written) < max_length and not ended.all():
        logits, state = step(token, state)
        allowed = torch.arange(logits.shape[1], device=logits.device) != bos_id
        token = logits.masked_fill(~allowed, -math.inf).argmax(dim=1)
        token = torch.where(ended, eos_id, token)
        written.append(token)
        ended = ended | (token == eos_id)
    return torch.stack(written, dim=1)

# %% wrong: only the token before is remembered
# A row gets eos_id where its last choice was eos_id, but the choice of an ended row is not overwritten, so it comes to life again two
# steps later; and it stops only where all rows choose the end at the same step. Shows for rows that end at different steps.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    before = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        written.append(torch.where(before, torch.full_like(token, eos_id), token))
        before = token == eos_id
        if before.all():
            break
    return torch.stack(written, dim=1)

# %% wrong: cut to the longest row, its end token cut off
# Runs on and cuts afterwards to the largest number of tokens before an eos_id, so the longest row loses the end token that it wrote. Shows
# where all rows end before max_length (and where all end at once: T is 0).

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    alive = torch.ones(first.shape[0], dtype=torch.bool, device=first.device)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = torch.where(alive, logits.argmax(dim=1), eos_id)
        alive = alive & (token != eos_id)
        written.append(token)
        if not alive.any():
            break
    tokens = torch.stack(written, dim=1)
    longest = (tokens != eos_id).sum(dim=1).max()
    return tokens[:, :longest]

# %% correct: a generator of columns

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    def columns(token, state):
        alive = torch.ones_like(token)
        for _ in range(max_length):
            logits, state = step(token, state)
            likely = logits.topk(1, dim=1).indices.squeeze(1)
            token = alive * likely + (1 - alive) * eos_id
            yield token
            alive = alive * (token != eos_id)
            if alive.sum() == 0:
                return

    return torch.stack(tuple(columns(token, state)), dim=1)

# %% correct: where each row ended, in a list of numbers

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    rows = [[] for _ in range(first.shape[0])]
    going = set(range(len(rows)))
    while going and len(rows[min(going)]) < max_length:
        logits, state = step(token, state)
        for number, likely in enumerate(logits.argmax(dim=1).tolist()):
            rows[number].append(likely if number in going else eos_id)
        going = {number for number in going if rows[number][-1] != eos_id}
        token = torch.tensor([row[-1] for row in rows], device=first.device)
    return torch.tensor(rows, device=first.device)
