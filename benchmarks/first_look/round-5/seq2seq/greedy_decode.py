# %% wrong: the begin token can end a row
# Which rows have ended is read off the token that goes in, bos_id too: where bos_id equals eos_id every row ends at once.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = token == eos_id
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        token = torch.where(ended, eos_id, token)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: stops only when all rows end in the same step
# What is written after an end is mended afterwards, but the loop waits for one step in which every row writes eos_id: T is too long.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    while len(written) < max_length:
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        written.append(token)
        if (token == eos_id).all():
            break
    tokens = torch.stack(written, dim=1)
    over = (tokens == eos_id).cumsum(dim=1) > 0
    return tokens.masked_fill(over, eos_id)


# %% wrong: cut before the last end token
# The width is the count of words of the longest row without its eos_id, so its end token is cut off; a row that ends at once leaves T = 0.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = torch.full((len(token), max_length), eos_id, device=token.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    for t in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        tokens[:, t] = token
        ended |= token == eos_id
        if ended.all():
            break
    longest = int((tokens != eos_id).sum(dim=1).max())
    return tokens[:, :longest]


# %% wrong: padding after the end
# Rows that have ended are filled up with the padding token of the data, where eos_id is asked for.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    done = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    result = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        token[done] = PAD_ID
        result.append(token)
        done = done | (token == eos_id)
        if done.all():
            break
    return torch.stack(result, dim=1)


# %% wrong: every step begins from the first state
# The new state is thrown away, so each word is written as if it were the first after the source, with only the last token known.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token).bool()
    words = []
    for _ in range(max_length):
        logits, new_state = step(token, state)
        token = logits.argmax(dim=1)
        token[ended] = eos_id
        words.append(token)
        ended = ended | (token == eos_id)
        if bool(ended.all()):
            break
    return torch.stack(words, dim=1)


# %% correct: a generator of columns and the rows still open

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    def columns():
        incoming, memory = token, state
        is_open = torch.ones_like(token, dtype=torch.bool)
        for _ in range(max_length):
            logits, memory = step(incoming, memory)
            best = torch.max(logits, dim=1).indices
            incoming = torch.where(is_open, best, torch.full_like(best, eos_id))
            yield incoming
            is_open = is_open & (incoming != eos_id)
            if not is_open.any():
                return

    return torch.stack(list(columns()), dim=1)


# %% correct: each row notes where it ended, filled up afterwards

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    rows = first.shape[0]
    end_at = [None] * rows
    history = []
    while len(history) < max_length and (not history or None in end_at):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        for row, word in enumerate(token.tolist()):
            if end_at[row] is None and word == eos_id:
                end_at[row] = len(history)
        history.append(token)
    tokens = torch.stack(history, dim=1).clone()
    for row, place in enumerate(end_at):
        if place is not None:
            tokens[row, place:] = eos_id
    return tokens
