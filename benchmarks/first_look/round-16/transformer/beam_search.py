# %% wrong: it stops when the best one is finished
# Once the best hypothesis is finished the search ends, though kept ones go on. Without a length
# penalty nothing could overtake it; with one a longer sentence can, so it shows with penalty 1.

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
        raise ValueError(f"need beam_size and max_length of 1 or more, got {beam_size}, {max_length}")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [([], 0.0, False)]
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _, _ in beam], device=device)
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits, dim=-1).tolist()
        extended = []
        for row, (tokens, total, finished) in enumerate(beam):
            if finished:
                extended.append((row, tokens, total, True))
                continue
            for token, lp in enumerate(log_p[row]):
                extended.append((row, [*tokens, token], total + lp, token == eos_id))
        extended.sort(key=lambda h: h[2] / len(h[1]) ** length_penalty, reverse=True)
        extended = extended[:beam_size]
        rows = torch.tensor([row for row, *_ in extended], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
        beam = [h[1:] for h in extended]
        if beam[0][2]:
            break
    tokens, total, _ = beam[0]
    return torch.tensor(tokens, device=device), total / len(tokens) ** length_penalty


# %% wrong: the penalized score is carried on
# What is kept is the score after the division, and the next log-probability is added to that, so
# early tokens are divided again at each step. Right with penalty 0, wrong with any other.

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
        raise ValueError(f"need beam_size and max_length of 1 or more, got {beam_size}, {max_length}")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [([], 0.0, False)]
    for t in range(1, max_length + 1):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _, _ in beam], device=device)
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits, dim=-1).tolist()
        extended = []
        for row, (tokens, score, finished) in enumerate(beam):
            if finished:
                extended.append((row, tokens, score, True))
                continue
            for token, lp in enumerate(log_p[row]):
                new = (score + lp) / t**length_penalty
                extended.append((row, [*tokens, token], new, token == eos_id))
        extended.sort(key=lambda h: h[2], reverse=True)
        extended = extended[:beam_size]
        rows = torch.tensor([row for row, *_ in extended], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
        beam = [h[1:] for h in extended]
        if all(finished for *_, finished in beam):
            break
    tokens, score, _ = beam[0]
    return torch.tensor(tokens, device=device), score


# %% wrong: finished ones are filled up with eos_id
# All hypotheses are rows of one tensor, and finished ones go on with eos_id at no cost. The answer has
# more than one eos_id where the best was finished before the others of the beam.

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
        raise ValueError(f"need beam_size and max_length of 1 or more, got {beam_size}, {max_length}")
    device = (state[0] if isinstance(state, tuple) else state).device
    tokens = torch.zeros(1, 0, dtype=torch.int64, device=device)
    totals, lengths, finished = [0.0], [0], [False]
    last = torch.full((1,), bos_id, device=device)
    for _ in range(max_length):
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits, dim=-1).tolist()
        found = []
        for row, done in enumerate(finished):
            if done:
                found.append((row, eos_id, totals[row], lengths[row], True))
                continue
            for token, lp in enumerate(log_p[row]):
                found.append((row, token, totals[row] + lp, lengths[row] + 1, token == eos_id))
        found = sorted(found, key=lambda h: -h[2] / h[3] ** length_penalty)[:beam_size]
        rows = torch.tensor([h[0] for h in found], device=device)
        last = torch.tensor([h[1] for h in found], device=device)
        totals, lengths, finished = ([h[i] for h in found] for i in (2, 3, 4))
        tokens = torch.cat([tokens[rows], last.unsqueeze(1)], dim=1)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
        if all(finished):
            break
    return tokens[0], totals[0] / lengths[0] ** length_penalty


# %% wrong: the probabilities are multiplied, the logarithm comes last
# Products of float32 probabilities become zero after some tokens, and then all hypotheses are alike, with
# score -inf. It shows for long sentences over many words: 1,000 words and 20 tokens.

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
        raise ValueError(f"need beam_size and max_length of 1 or more, got {beam_size}, {max_length}")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [([], torch.ones((), device=device), False)]

    def score(hypothesis) -> float:
        tokens, probability = hypothesis[1:3]
        return (probability.log() / len(tokens) ** length_penalty).item()

    for _ in range(max_length):
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in beam], device=device)
        logits, state = step(last, state)
        p = torch.softmax(logits, dim=-1)
        extended = []
        for row, (tokens, probability, finished) in enumerate(beam):
            if finished:
                extended.append((row, tokens, probability, True))
                continue
            best = (probability * p[row]).topk(min(beam_size, p.shape[1]))
            for value, token in zip(best.values, best.indices.tolist(), strict=True):
                extended.append((row, [*tokens, token], value, token == eos_id))
        extended = sorted(extended, key=score, reverse=True)[:beam_size]
        rows = torch.tensor([h[0] for h in extended], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
        beam = [h[1:] for h in extended]
        if all(finished for *_, finished in beam):
            break
    tokens, probability, _ = beam[0]
    return torch.tensor(tokens, device=device), score((0, tokens, probability))


# %% correct: finished ones wait aside without a row, a heap chooses

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
    import heapq

    if min(beam_size, max_length) < 1:
        raise ValueError("beam_size and max_length must be at least 1")
    one = state[0] if isinstance(state, tuple) else state

    def score(hypothesis) -> float:
        _, tokens, total = hypothesis
        return total / len(tokens) ** length_penalty

    open_ones, finished = [((), 0.0)], []  # row i of the state is open_ones[i]'s
    for _ in range(max_length):
        last = [tokens[-1] if tokens else bos_id for tokens, _ in open_ones]
        logits, state = step(torch.tensor(last, device=one.device), state)
        log_p = logits.double().log_softmax(dim=1).tolist()
        candidates = [(None, tokens, total) for tokens, total in finished]
        for row, (tokens, total) in enumerate(open_ones):
            candidates += [(row, (*tokens, v), total + lp) for v, lp in enumerate(log_p[row])]
        kept = heapq.nlargest(beam_size, candidates, key=score)
        finished = [(tokens, total) for row, tokens, total in kept if row is None or tokens[-1] == eos_id]
        alive = [one for one in kept if one[0] is not None and one[1][-1] != eos_id]
        if not alive:
            break
        open_ones = [(tokens, total) for _, tokens, total in alive]
        rows = torch.tensor([row for row, _, _ in alive], device=one.device)
        if isinstance(state, tuple):
            state = tuple(part.index_select(0, rows) for part in state)
        else:
            state = state.index_select(0, rows)
    _, tokens, total = kept[0]
    return torch.tensor(tokens, dtype=torch.int64, device=one.device), float(score(kept[0]))


# %% correct: all in tensors, one flat list of candidates

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
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, got {beam_size}")
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    device = state[0].device if isinstance(state, tuple) else state.device
    written = torch.full((1, max_length + 1), bos_id, device=device)
    total = torch.zeros(1, dtype=torch.float64, device=device)
    length = torch.zeros(1, dtype=torch.int64, device=device)
    done = torch.zeros(1, dtype=torch.bool, device=device)
    for t in range(max_length):
        fed = written.gather(1, length.unsqueeze(1)).squeeze(1)
        logits, state = step(fed, state)
        log_p = torch.log_softmax(logits.double(), dim=1)
        size = log_p.shape[1]
        # a finished hypothesis has one candidate, itself, in the column of eos_id
        token = torch.arange(size, device=device).expand_as(log_p)
        stays = done.unsqueeze(1)
        allowed = ~stays | (token == eos_id)
        sums = torch.where(stays, total.unsqueeze(1), total.unsqueeze(1) + log_p)
        longer = (length + (~done).long()).unsqueeze(1).expand_as(token)
        row = torch.arange(len(total), device=device).unsqueeze(1).expand_as(token)
        flat = [x[allowed] for x in (row, token, sums, longer)]
        scores = flat[2] / flat[3].double() ** length_penalty
        chosen = scores.argsort(descending=True)[:beam_size]
        rows, tokens, total, new_length = (x[chosen] for x in flat)
        written = written[rows].clone()
        open_row = ~done[rows]
        written[open_row, new_length[open_row]] = tokens[open_row]
        length, done = new_length, done[rows] | (tokens == eos_id)
        pick = [part[rows] for part in (state if isinstance(state, tuple) else (state,))]
        state = tuple(pick) if isinstance(state, tuple) else pick[0]
        if done.all():
            break
    best = total[0] / length[0].double() ** length_penalty
    return written[0, 1 : 1 + int(length[0])].clone(), best.item()
