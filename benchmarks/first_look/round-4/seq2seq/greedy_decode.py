# %% wrong: the begin token counts as an end
# Which rows have ended is first asked of the begin token; where one id serves for both, every row has ended before it
# began, and only end tokens come out.
# Hint: call it with bos_id equal to eos_id. Of which tokens does the docstring say that they end a row?

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = token == eos_id
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=-1))
        tokens.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: the last end token is not kept
# It leaves the loop before it keeps the column in which the last row ends: that row has no end token, T is one too
# small, and where all rows end at once there is nothing to stack.
# Hint: put the five parts of one turn into order (question 1.q2); does keeping come before or after stopping?

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    finished = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    written = []
    while len(written) < max_length:
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        token[finished] = eos_id
        finished |= token == eos_id
        if finished.all():
            break
        written.append(token)
    return torch.stack(written, dim=1)


# %% wrong: rows that have ended go on writing
# It remembers which rows have ended, but only in order to stop; until the last row ends, the others write on behind
# their end token.
# Hint: let one row end after two tokens and another after five, and print the first row.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    tokens = []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        tokens.append(token)
        ended = ended | (token == eos_id)
        if bool(ended.all()):
            break
    return torch.stack(tokens, dim=1)


# %% wrong: the new state is thrown away
# Every step starts from the first state: the model sees the last word only, and tends to repeat itself.
# Hint: step gives two things back; where does the second one go?

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    ended = torch.zeros(len(token), dtype=torch.bool, device=token.device)
    tokens = []
    for _ in range(max_length):
        logits, _ = step(token, state)
        token = logits.argmax(dim=-1).masked_fill(ended, eos_id)
        tokens.append(token)
        ended |= token == eos_id
        if ended.all():
            break
    return torch.stack(tokens, dim=1)


# %% wrong: always as long as max_length
# The tokens are right, but it never stops early: T is max_length even if all rows have ended after three words.
# Hint: compare the number of columns with the longest row, its end token included.

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    tokens = torch.full((first.shape[0], max_length), eos_id, device=first.device)
    ended = torch.zeros(first.shape[0], dtype=torch.bool, device=first.device)
    for t in range(max_length):
        logits, state = step(token, state)
        token = torch.where(ended, eos_id, logits.argmax(dim=-1))
        tokens[:, t] = token
        ended = ended | (token == eos_id)
    return tokens


# %% correct: written freely and cleaned behind the first end token

def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    columns = []
    waiting_for = set(range(first.shape[0]))  # rows without an end token so far
    while True:
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        columns.append(token)
        waiting_for -= {row for row, word in enumerate(token.tolist()) if word == eos_id}
        if not waiting_for or len(columns) == max_length:
            break
    tokens = torch.stack(columns, dim=1)
    ends_before = (tokens == eos_id).cumsum(dim=1) - (tokens == eos_id).long()  # ends before each place
    return tokens.masked_fill(ends_before > 0, eos_id)


# %% correct: a small writer class

class Writer:
    def __init__(self, step, state, token: Tensor, eos_id: int):
        self.step, self.state, self.token, self.eos_id = step, state, token, eos_id
        self.alive = torch.ones_like(token)  # 1 until the row's end token has been written
        self.done = False

    def __iter__(self):
        return self

    def __next__(self) -> Tensor:
        if self.done:
            raise StopIteration
        logits, self.state = self.step(self.token, self.state)
        self.token = self.alive * logits.argmax(dim=-1) + (1 - self.alive) * self.eos_id
        self.alive = self.alive * (self.token != self.eos_id).long()
        self.done = not self.alive.any()
        return self.token


def greedy_decode(step, state, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token = torch.full((first.shape[0],), bos_id, device=first.device)
    written = [column for _, column in zip(range(max_length), Writer(step, state, token, eos_id))]
    return torch.stack(written).t()
