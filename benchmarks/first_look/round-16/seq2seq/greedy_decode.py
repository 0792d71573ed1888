# %% wrong: every row is closed by an end token
# Where max_length is reached, the last token is overwritten by eos_id, so that all translations end. A row that has not ended must
# keep what it wrote: wrong for every model that never writes eos_id.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended, written = torch.zeros_like(token, dtype=torch.bool), []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    tokens = torch.stack(written, dim=1)
    tokens[:, -1] = eos_id
    return tokens


# %% wrong: tidied up after the loop, which waits for a common end
# The loop stops when all rows write eos_id in the same turn, and what comes after a row's first is overwritten later. Where rows
# end at different turns and then go on writing, T is longer than the longest row needs.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        written.append(token)
        if (token == eos_id).all():
            break
    tokens = torch.stack(written, dim=1)
    ended = (tokens == eos_id).cumsum(dim=1) > 0
    return tokens.masked_fill(ended, eos_id)


# %% wrong: the begin token may not be written
# Its logit is set to minus infinity, in the tensor that step returned. Wrong where the most likely token is bos_id, and where bos_id
# equals eos_id: then no row ever ends.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended, written = torch.zeros_like(token, dtype=torch.bool), []
    for _ in range(max_length):
        logits, state = step(token, state)
        logits = logits.clone()
        logits[:, bos_id] = -torch.inf
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: the column in which the last row ends is not kept
# Stops as soon as all rows have ended, before keeping the tokens. The longest row loses its eos_id, and where all rows end
# at once nothing is left and stack raises an error.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended, written = torch.zeros_like(token, dtype=torch.bool), []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        ended = ended | (token == eos_id)
        if ended.all():
            break
        written.append(token)
    return torch.stack(written, dim=1)


# %% correct: recursion, the rest of the sentence behind the token

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    def rest(token: Tensor, state, ended: Tensor, left: int) -> list[Tensor]:
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.max(dim=1).indices)
        ended = ended | token.eq(eos_id)
        if left == 1 or bool(ended.all()):
            return [token]
        return [token, *rest(token, state, ended, left - 1)]

    return torch.stack(rest(token, state, token != token, max_length), dim=1)


# %% correct: a table of end tokens, filled and cut to the longest row

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = torch.full((len(token), max_length), eos_id, device=token.device)
    lengths = torch.full_like(token, max_length)  # of each row, its end token included
    for t in range(max_length):
        logits, state = step(token, state)
        open_rows = (lengths > t).nonzero().squeeze(1)
        tokens[open_rows, t] = logits.topk(1, dim=1).indices[open_rows, 0]
        token = tokens[:, t].clone()
        lengths[open_rows[token[open_rows] == eos_id]] = t + 1
        if int(lengths.max()) <= t + 1:
            break
    return tokens[:, : int(lengths.max())]
