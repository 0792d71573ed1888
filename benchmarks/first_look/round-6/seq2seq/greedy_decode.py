# %% wrong: the begin token may already end a row
# Whether a row has ended is asked of the token that goes in, from the start: where bos_id equals eos_id every row has ended before a word is written.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = []
    ended = token == eos_id
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        token = torch.where(ended, torch.full_like(token, eos_id), token)
        written.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(written, dim=1)


# %% wrong: brackets missing around a comparison
# ended | token == eos_id is read by Python as (ended | token) == eos_id: a row that has ended may be taken for unfinished at the next step and write on.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    columns = []
    ended = torch.zeros_like(token, dtype=torch.bool)
    while len(columns) < max_length and not ended.all():
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        token[ended] = eos_id
        columns.append(token)
        ended = ended | token == eos_id
    return torch.stack(columns, dim=1)


# %% wrong: cut at the first end token, which may be missing
# All steps are done and the end found by argmax afterwards; for a row without eos_id argmax gives 0, so that row counts as ended in its first place and is cut.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    columns = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        columns.append(token)
    tokens = torch.stack(columns, dim=1)  # (B, max_length)
    is_end = tokens == eos_id
    first_end = is_end.int().argmax(dim=1)  # (B,)
    places = torch.arange(max_length, device=tokens.device)
    tokens = tokens.masked_fill(places > first_end.unsqueeze(1), eos_id)
    return tokens[:, : int(first_end.max()) + 1]


# %% wrong: columns of nothing but end tokens are dropped
# To make T short all columns that hold only eos_id are removed, also the one in which the longest row ends: with one sentence the end token is always lost.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(len(token), dtype=torch.bool, device=token.device)
    written = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        ended |= token == eos_id
        written.append(token)
    tokens = torch.stack(written, dim=1)
    needed = (tokens != eos_id).any(dim=0)
    needed[0] = True  # at least one
    return tokens[:, needed]


# %% wrong: end tokens counted again at every step
# The loop stops when as many end tokens have come as there are rows; rows that ended earlier are counted anew each time, so it stops while others are still writing.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    batch = len(token)
    tokens = []
    ended = torch.zeros(batch, dtype=torch.bool, device=token.device)
    num_ended = 0
    for t in range(max_length):
        logits, state = step(token, state)
        best = torch.argmax(logits, dim=1)
        token = torch.where(ended, eos_id, best)
        tokens.append(token)
        ended = ended | (token == eos_id)
        num_ended += int((token == eos_id).sum())
        if num_ended >= batch:
            break
    return torch.stack(tokens, 1)


# %% correct: a table full of end tokens, filled while rows live

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    table = torch.full((len(token), max_length), eos_id, dtype=torch.long, device=first.device)
    living = torch.ones(len(token), dtype=torch.bool, device=first.device)
    used = 0
    while used < max_length and (used == 0 or bool(living.any())):
        scores, state = step(token, state)
        table[living, used] = scores[living].argmax(dim=-1)
        token = table[:, used].clone()
        living = living & token.ne(eos_id)
        used += 1
    return table[:, :used]


# %% correct: python lists and a set of open rows

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Feed back the most likely token until every row has ended or max_length are written.

    step: a function (token (B,), state) -> (logits (B, V), state); state: what step expects at
    the first token, a tensor or a tuple of tensors with the batch first. The first token fed in
    is bos_id.
    Returns tokens (B, T), 1 <= T <= max_length, without bos_id; after a row's first eos_id all
    its tokens are eos_id. Some vocabularies use one id for both: bos_id fed in ends nothing,
    even where it equals eos_id. T is no longer than the longest row needs, its eos_id included.
    Raises ValueError where max_length is below 1.
    """
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    texts = [[] for _ in range(len(token))]
    open_rows = set(range(len(texts)))
    for _ in range(max_length):
        scores, state = step(token, state)
        chosen = scores.argmax(dim=1).tolist()
        for row, text in enumerate(texts):
            text.append(chosen[row] if row in open_rows else eos_id)
        open_rows = {row for row in open_rows if texts[row][-1] != eos_id}
        if not open_rows:
            break
        token = torch.tensor([text[-1] for text in texts], device=first.device)
    return torch.tensor(texts, device=first.device)
