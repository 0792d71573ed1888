# %% wrong: the state stays at the start
# The new state that step returns is thrown away, so every step begins from the first state again.
# Breaks "state: what step expects at the first token": later tokens need the later state. Hint: what does step give back besides the logits?

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    written = []
    for _ in range(max_length):
        logits, _ = step(token, state)
        token = logits.argmax(dim=1)
        token = torch.where(ended, torch.full_like(token, eos_id), token)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: ended rows talk on
# A row that has ended is noted, but its tokens are not overwritten, so other words follow its eos_id.
# Breaks "after a row's first eos_id all its tokens are eos_id". Hint: look at a short row in a batch with a long one.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    written = []
    while len(written) < max_length and not ended.all():
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        written.append(token)
        ended |= token == eos_id
    return torch.stack(written, dim=1)


# %% wrong: ended before the first word
# Whether a row has ended is asked of the token that goes in, bos_id included, so with bos_id equal to eos_id all rows have ended at once.
# Breaks "bos_id fed in ends nothing, even where it equals eos_id". Hint: before the first step, which rows have written eos_id?

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
        ended = ended | token.eq(eos_id)
        if bool(ended.all()):
            break
    return torch.stack(written, dim=1)


# %% wrong: always to the end
# The loop never stops early: it writes max_length tokens even where all rows ended long before.
# Breaks "T is no longer than the longest row needs". Hint: how many columns of nothing but eos_id stand at the end of your answer?

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(len(token), dtype=torch.bool, device=token.device)
    written = torch.empty(len(token), max_length, dtype=token.dtype, device=token.device)
    for t in range(max_length):
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=1))
        written[:, t] = token
        ended = ended | (token == eos_id)
    return written


# %% correct: a generator of columns

def _columns(step, state, token: Tensor, eos_id: int):
    """The tokens of one step after another, until every row has ended."""
    going_on = torch.ones_like(token, dtype=torch.bool)
    while True:
        logits, state = step(token, state)
        _, best = logits.max(dim=-1)
        token = torch.where(going_on, best, torch.full_like(best, eos_id))
        yield token
        going_on = going_on & token.ne(eos_id)
        if not going_on.any():
            return


def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    begin = first.new_full((first.shape[0],), bos_id, dtype=torch.long)
    columns = [column for _, column in zip(range(max_length), _columns(step, state, begin, eos_id))]
    return torch.stack(columns).t().contiguous()
