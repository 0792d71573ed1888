# %% wrong: the length penalty only at the end
# While it searches it compares sums, and divides by the length only among the last ones; the docstring's score has
# the division at every choice. Shows with length_penalty above 0 where a short and a long hypothesis compete for a
# place in the beam.

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
        raise ValueError(f"must be at least 1: {beam_size=}, {max_length=}")
    device = state[0].device
    beam = [([], 0.0, False)]  # tokens, sum of the log-probabilities, finished
    token = torch.tensor([bos_id], device=device)
    for _ in range(max_length):
        logits, state = step(token, state)
        log_p = logits.log_softmax(dim=1).tolist()
        candidates = []  # hypothesis, row of the state
        row = 0
        for tokens, total, finished in beam:
            if finished:
                candidates.append(((tokens, total, True), None))
                continue
            for v, lp in enumerate(log_p[row]):
                candidates.append((([*tokens, v], total + lp, v == eos_id), row))
            row += 1
        candidates.sort(key=lambda c: c[0][1], reverse=True)
        candidates = candidates[:beam_size]
        beam = [hypothesis for hypothesis, _ in candidates]
        rows = torch.tensor([r for h, r in candidates if not h[2]], dtype=torch.long, device=device)
        if len(rows) == 0:
            break
        token = torch.tensor([h[0][-1] for h in beam if not h[2]], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
    score = lambda h: h[1] / len(h[0]) ** length_penalty
    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% wrong: a finished sentence is preferred at the end
# When max_length ends the search it returns the best finished hypothesis, although an unfinished one may have the
# higher score; "finished or not, also when max_length ends the search". Shows with max_length 2 and a likely word
# beside an unlikely eos_id.

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
        raise ValueError(f"must be at least 1: {beam_size=}, {max_length=}")

    def score(hypothesis) -> float:
        tokens, total, _ = hypothesis
        return total / len(tokens) ** length_penalty

    device = state[0].device
    beam = [([], 0.0, False)]
    token = torch.tensor([bos_id], device=device)
    for _ in range(max_length):
        logits, state = step(token, state)
        log_p = torch.log_softmax(logits, dim=1)
        pool = [(h, -1) for h in beam if h[2]]
        alive = [h for h in beam if not h[2]]
        for row, (tokens, total, _) in enumerate(alive):
            for v in range(log_p.shape[1]):
                pool.append(((tokens + [v], total + log_p[row, v].item(), v == eos_id), row))
        pool = sorted(pool, key=lambda entry: -score(entry[0]))[:beam_size]
        beam = [h for h, _ in pool]
        alive = [(h, row) for h, row in pool if not h[2]]
        if not alive:
            break
        rows = torch.tensor([row for _, row in alive], device=device)
        token = torch.tensor([h[0][-1] for h, _ in alive], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
    complete = [h for h in beam if h[2]] or beam
    best = max(complete, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% wrong: stops when the best one is finished
# Ends the search as soon as the highest score belongs to a finished hypothesis. Without a penalty nothing can overtake
# it; with length_penalty 1 a longer one can, as it may raise its mean. The search ends when ALL kept are finished.

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
    device = state[0].device
    beam = [{"tokens": [], "total": 0.0, "score": 0.0, "done": False, "row": 0}]
    token = torch.tensor([bos_id], device=device)
    for length in range(1, max_length + 1):
        logits, state = step(token, state)
        log_p = torch.log_softmax(logits, dim=-1).tolist()
        pool = [h for h in beam if h["done"]]
        for row, h in enumerate([h for h in beam if not h["done"]]):
            for v, lp in enumerate(log_p[row]):
                total = h["total"] + lp
                pool.append(
                    {
                        "tokens": h["tokens"] + [v],
                        "total": total,
                        "score": total / length**length_penalty,
                        "done": v == eos_id,
                        "row": row,
                    }
                )
        beam = sorted(pool, key=lambda h: h["score"], reverse=True)[:beam_size]
        if beam[0]["done"]:
            break
        alive = [h for h in beam if not h["done"]]
        rows = torch.tensor([h["row"] for h in alive], device=device)
        token = torch.tensor([h["tokens"][-1] for h in alive], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
    return torch.tensor(beam[0]["tokens"], device=device), beam[0]["score"]


# %% wrong: the beam begins with copies
# Starts with beam_size equal rows, all with score 0. Their extensions are equal as well, so the beam holds the same
# sentence beam_size times and finds what greedy decoding finds. Shows for beam_size of 2 or more where another
# beginning wins in the end.

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
        raise ValueError(f"must be at least 1: {beam_size=}, {max_length=}")
    is_tuple = isinstance(state, tuple)
    parts = state if is_tuple else (state,)
    device = parts[0].device
    parts = tuple(part.repeat_interleave(beam_size, dim=0) for part in parts)
    token = torch.full((beam_size,), bos_id, device=device)
    beam = [([], 0.0, False) for _ in range(beam_size)]

    def score(h) -> float:
        return h[1] / max(len(h[0]), 1) ** length_penalty

    for _ in range(max_length):
        logits, state = step(token, parts if is_tuple else parts[0])
        parts = state if is_tuple else (state,)
        log_p = torch.log_softmax(logits, dim=1).tolist()
        pool = []
        for row, h in enumerate(beam):
            if h[2]:
                pool.append((h, row))
            else:
                pool += [((h[0] + [v], h[1] + lp, v == eos_id), row) for v, lp in enumerate(log_p[row])]
        pool.sort(key=lambda entry: score(entry[0]), reverse=True)
        pool = pool[:beam_size]
        beam = [h for h, _ in pool]
        if all(h[2] for h in beam):
            break
        rows = torch.tensor([row for _, row in pool], device=device)
        parts = tuple(part[rows] for part in parts)
        token = torch.tensor([h[0][-1] for h in beam], device=device)
    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% correct: every hypothesis has a state of its own and is read alone
import heapq


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
    if min(beam_size, max_length) < 1:
        raise ValueError(f"must be at least 1: {beam_size=}, {max_length=}")
    device = (state[0] if isinstance(state, tuple) else state).device

    def extended(tokens: tuple, total: float, own_state):
        """All continuations of a hypothesis by one token: (score, tokens, total, state or None)."""
        last = torch.tensor([tokens[-1] if tokens else bos_id], device=device)
        logits, new_state = step(last, own_state)
        for token, log_p in enumerate(torch.log_softmax(logits[0], dim=0).tolist()):
            longer, sum_ = (*tokens, token), total + log_p
            yield sum_ / len(longer) ** length_penalty, longer, sum_, None if token == eos_id else new_state

    beam = [(0.0, (), 0.0, state)]
    for _ in range(max_length):
        pool = []
        for hypothesis in beam:
            pool += [hypothesis] if hypothesis[3] is None else extended(*hypothesis[1:])
        beam = heapq.nlargest(beam_size, pool, key=lambda hypothesis: hypothesis[0])
        if all(hypothesis[3] is None for hypothesis in beam):
            break
    score, tokens, *_ = max(beam, key=lambda hypothesis: hypothesis[0])
    return torch.tensor(tokens, device=device), score


# %% correct: all in tensors, a finished row has one column more in which it stays
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
        raise ValueError(f"must be at least 1: {beam_size=}, {max_length=}")
    device = (state[0] if isinstance(state, tuple) else state).device
    token = torch.full((1,), bos_id, device=device)
    written = token.new_zeros(1, 0)
    totals = torch.zeros(1, dtype=torch.float64, device=device)
    lengths = torch.zeros(1, dtype=torch.float64, device=device)
    done = torch.zeros(1, dtype=torch.bool, device=device)
    for _ in range(max_length):
        logits, state = step(token, state)  # finished rows go along, and nobody reads their logits
        size = logits.shape[1]
        log_p = torch.log_softmax(logits, dim=1).double()
        sums = torch.cat([totals.unsqueeze(1) + log_p, totals.unsqueeze(1)], dim=1)  # (N, V + 1)
        new_lengths = torch.cat([(lengths + 1).unsqueeze(1).expand(-1, size), lengths.unsqueeze(1)], dim=1)
        real = torch.cat([~done.unsqueeze(1).expand(-1, size), done.unsqueeze(1)], dim=1)
        row, column = real.nonzero(as_tuple=True)
        scores = sums[real] / new_lengths[real] ** length_penalty
        order = scores.argsort(descending=True)[:beam_size]
        row, column = row[order], column[order]
        totals, lengths = sums[row, column], new_lengths[row, column]
        token = torch.where(column == size, eos_id, column)
        written = torch.cat([written[row], token.unsqueeze(1)], dim=1)
        done = done[row] | (token == eos_id)
        state = tuple(part[row] for part in state) if isinstance(state, tuple) else state[row]
        if done.all():
            break
    scores = totals / lengths**length_penalty
    best = int(scores.argmax())
    return written[best, : int(lengths[best])], scores[best].item()
