# %% wrong: ended where the token before was the end
# A row has ended where the token that went in is eos_id, and the first one that goes in is bos_id. Where the two are
# one id every row ends before it begins; bos_id fed in must end nothing. Shows for bos_id == eos_id.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = torch.where(token == eos_id, eos_id, logits.argmax(dim=1))
        tokens.append(token)
        if (token == eos_id).all():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: stops only where all rows end in the same step
# Rows that have ended are overwritten after the loop, so inside it a row that has ended writes on and the stop is missed:
# T is longer than the longest row needs. Shows where rows end at different steps and do not go on with eos_id.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        tokens.append(token)
        if (token == eos_id).all():
            break
    tokens = torch.stack(tokens, dim=1)
    after_end = (tokens == eos_id).cumsum(dim=1) > 0
    return tokens.masked_fill(after_end, eos_id)


# %% wrong: cut at the last first end, rows without an end forgotten
# argmax of a row without eos_id is 0, as if it had ended at once: the cut falls behind the longest row that ends, and a
# row that never ends loses its words. Shows where one row ends before max_length and another never does.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        tokens.append(token)
    tokens = torch.stack(tokens, dim=1)
    ends = tokens == eos_id
    tokens = tokens.masked_fill(ends.cumsum(dim=1) > 0, eos_id)
    if ends.any():
        tokens = tokens[:, : int(ends.int().argmax(dim=1).max()) + 1]
    return tokens


# %% wrong: gradients switched off and never on again
# torch.set_grad_enabled(False) stays in force after the call: the settings of PyTorch must be left as they were.
# The tokens are right; shows in torch.is_grad_enabled() after the first call, and in the next training step.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    torch.set_grad_enabled(False)  # nothing is trained here
    ended = torch.zeros_like(token, dtype=torch.bool)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1).masked_fill(ended, eos_id)
        tokens.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(tokens, dim=1)


# %% correct: a sheet full of end tokens, written on by the rows that go on

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    sheet = torch.full((len(token), max_length), eos_id, device=first.device)
    writing = torch.arange(len(token), device=first.device)  # the rows that go on
    width = 0
    while width < max_length and len(writing) > 0:
        logits, state = step(token, state)
        token = logits.topk(1, dim=1).indices[:, 0]
        sheet[writing, width] = token[writing]
        writing = writing[token[writing] != eos_id]
        width += 1
    return sheet[:, :width].clone()


# %% correct: by recursion, with the number of words left

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    def write(token: Tensor, state, alive: Tensor, left: int) -> list[Tensor]:
        """The columns from here on; alive: 1 for rows that have not ended, else 0."""
        if left == 0 or not alive.any():
            return []
        logits, state = step(token, state)
        chosen = logits.max(dim=1).indices
        column = chosen * alive + eos_id * (1 - alive)
        return [column, *write(column, state, alive * (column != eos_id).long(), left - 1)]

    return torch.stack(write(token, state, torch.ones_like(token), max_length), dim=1)
