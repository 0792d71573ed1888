# %% wrong: the begin token may end a row
# ended is worked out from the begin token, so with bos_id == eos_id every row has ended before the first word
# and only eos_id comes out.

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
        token = torch.where(ended, torch.full_like(token, eos_id), token)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: stop before keeping
# Breaks before the last column is kept: the eos_id of the longest row is missing,
# and where all rows end at the first word there is nothing to stack and it raises.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        ended = ended | (token == eos_id)
        if ended.all():
            break
        written.append(token)
    return torch.stack(written, dim=1)


# %% wrong: ended rows go on writing
# Remembers which rows have ended in order to stop, but does not overwrite their tokens: behind a row's first eos_id
# other words stand, when the step writes any while longer rows go on.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(len(token), dtype=torch.bool, device=token.device)
    written = []
    while len(written) < max_length and not ended.all():
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        written.append(token)
        ended |= token == eos_id
    return torch.stack(written, dim=1)


# %% wrong: the begin token counted in the length
# The list begins with the begin token, which is cut off at the end but counts for max_length:
# rows that do not end get max_length - 1 tokens, and max_length = 1 gives T = 0.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = [token]
    ended = torch.zeros_like(token).bool()
    while len(written) < max_length:
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=1))
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)[:, 1:]


# %% correct: a generator of columns with a factor that is one for the living

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)

    def columns(token: Tensor, state):
        alive = torch.ones_like(token)
        for _ in range(max_length):
            logits, state = step(token, state)
            token = eos_id + alive * (logits.argmax(dim=1) - eos_id)
            yield token
            alive = alive * (token != eos_id)
            if not alive.sum():
                return

    return torch.stack(list(columns(token, state)), dim=-1)


# %% correct: rows as Python lists, filled up at the end

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    sentences = [[] for _ in range(len(token))]
    turn = 0
    while True:
        logits, state = step(token, state)
        fed = []
        for sentence, choice in zip(sentences, logits.max(dim=1).indices.tolist(), strict=True):
            if not sentence or sentence[-1] != eos_id:
                sentence.append(choice)
            fed.append(sentence[-1])
        token = torch.tensor(fed, dtype=torch.long, device=token.device)
        turn += 1
        if turn == max_length or all(word == eos_id for word in fed):
            break
    rows = [sentence + [eos_id] * (turn - len(sentence)) for sentence in sentences]
    return torch.tensor(rows, dtype=torch.long, device=token.device).reshape(len(rows), turn)
