# %% wrong: state not reordered
# The rows of the state stay where they were: wrong where beam_size is 2 or more and kept hypotheses swap rows or share one.

@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device

    def rows(state, index):
        index = torch.tensor(index, device=device)
        return tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]

    def score(h):
        return h[1] / max(1, len(h[0])) ** length_penalty

    def done(h):
        return h[0][-1:] == [eos_id]

    beam = [([], 0.0, 0)]  # tokens, log-probability, row of the state
    for _ in range(max_length):
        alive = [h for h in beam if not done(h)]
        if not alive:
            break
        state = rows(state, [min(i, max(h[2] for h in alive)) for i, h in enumerate(alive)])
        last = [h[0][-1] if h[0] else bos_id for h in alive]
        logits, state = step(torch.tensor(last, device=device), state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        new = [h for h in beam if done(h)]
        for row, h in enumerate(alive):
            new += [(h[0] + [v], h[1] + p, row) for v, p in enumerate(log_p[row])]
        beam = sorted(new, key=score, reverse=True)[:beam_size]
    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), float(score(best))

# %% wrong: pruned by the sum
# The penalty counts only at the end: length_penalty above 0 where a finished short one pushes out a longer, better one.

@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device

    def rows(state, index):
        index = torch.tensor(index, device=device)
        return tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]

    def score(h):
        return h[1] / max(1, len(h[0])) ** length_penalty

    def done(h):
        return h[0][-1:] == [eos_id]

    beam = [([], 0.0, 0)]  # tokens, log-probability, row of the state
    for _ in range(max_length):
        alive = [h for h in beam if not done(h)]
        if not alive:
            break
        state = rows(state, [h[2] for h in alive])
        last = [h[0][-1] if h[0] else bos_id for h in alive]
        logits, state = step(torch.tensor(last, device=device), state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        new = [h for h in beam if done(h)]
        for row, h in enumerate(alive):
            new += [(h[0] + [v], h[1] + p, row) for v, p in enumerate(log_p[row])]
        beam = sorted(new, key=lambda h: h[1], reverse=True)[:beam_size]
    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), float(score(best))

# %% wrong: finished ones before others
# At the end a finished hypothesis wins over an unfinished one with a higher score, when max_length ends the search.

@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device

    def rows(state, index):
        index = torch.tensor(index, device=device)
        return tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]

    def score(h):
        return h[1] / max(1, len(h[0])) ** length_penalty

    def done(h):
        return h[0][-1:] == [eos_id]

    beam = [([], 0.0, 0)]  # tokens, log-probability, row of the state
    for _ in range(max_length):
        alive = [h for h in beam if not done(h)]
        if not alive:
            break
        state = rows(state, [h[2] for h in alive])
        last = [h[0][-1] if h[0] else bos_id for h in alive]
        logits, state = step(torch.tensor(last, device=device), state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        new = [h for h in beam if done(h)]
        for row, h in enumerate(alive):
            new += [(h[0] + [v], h[1] + p, row) for v, p in enumerate(log_p[row])]
        beam = sorted(new, key=score, reverse=True)[:beam_size]
    best = max([h for h in beam if done(h)] or beam, key=score)
    return torch.tensor(best[0], device=device), float(score(best))

# %% wrong: stops at the first finished
# The search ends when one kept hypothesis is finished, though others could be better later (length_penalty above 0).

@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device

    def rows(state, index):
        index = torch.tensor(index, device=device)
        return tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]

    def score(h):
        return h[1] / max(1, len(h[0])) ** length_penalty

    def done(h):
        return h[0][-1:] == [eos_id]

    beam = [([], 0.0, 0)]  # tokens, log-probability, row of the state
    for _ in range(max_length):
        alive = [h for h in beam if not done(h)]
        if len(alive) < len(beam):
            break
        state = rows(state, [h[2] for h in alive])
        last = [h[0][-1] if h[0] else bos_id for h in alive]
        logits, state = step(torch.tensor(last, device=device), state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        new = [h for h in beam if done(h)]
        for row, h in enumerate(alive):
            new += [(h[0] + [v], h[1] + p, row) for v, p in enumerate(log_p[row])]
        beam = sorted(new, key=score, reverse=True)[:beam_size]
    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), float(score(best))

# %% correct: lists of hypotheses

@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device

    def rows(state, index):
        index = torch.tensor(index, device=device)
        return tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]

    def score(h):
        return h[1] / max(1, len(h[0])) ** length_penalty

    def done(h):
        return h[0][-1:] == [eos_id]

    beam = [([], 0.0, 0)]  # tokens, log-probability, row of the state
    for _ in range(max_length):
        alive = [h for h in beam if not done(h)]
        if not alive:
            break
        state = rows(state, [h[2] for h in alive])
        last = [h[0][-1] if h[0] else bos_id for h in alive]
        logits, state = step(torch.tensor(last, device=device), state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        new = [h for h in beam if done(h)]
        for row, h in enumerate(alive):
            new += [(h[0] + [v], h[1] + p, row) for v, p in enumerate(log_p[row])]
        beam = sorted(new, key=score, reverse=True)[:beam_size]
    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), float(score(best))

# %% correct: one state for each hypothesis

@torch.no_grad()
def beam_search(
    step,
    state,
    bos_id: int,
    eos_id: int,
    beam_size: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [(0.0, (), 0.0, state)]  # score, tokens, log-probability, own state of one row
    for _ in range(max_length):
        pool = []
        for hypothesis in beam:
            _, tokens, total, own = hypothesis
            if tokens and tokens[-1] == eos_id:
                pool.append(hypothesis)
                continue
            last = tokens[-1] if tokens else bos_id
            logits, after = step(torch.tensor([last], device=device), own)
            for v, p in enumerate(torch.log_softmax(logits[0].double(), dim=0).tolist()):
                pool.append(((total + p) / (len(tokens) + 1) ** length_penalty, (*tokens, v), total + p, after))
        pool.sort(key=lambda h: -h[0])
        beam = pool[:beam_size]
        if all(tokens[-1] == eos_id for _, tokens, _, _ in beam):
            break
    score, tokens, _, _ = beam[0]
    return torch.tensor(tokens, device=device), score

