# %% wrong: the state stays where it was
# After the choice the tokens are sorted by hypothesis and the state is not: row i belongs to another beginning. With a beam of one it is right. A good message: "the step was called with a token whose state is another hypothesis's: pick the state's rows by the parents".

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
    first = state[0] if isinstance(state, tuple) else state
    beam = [([], 0.0, 0)]  # tokens, log-probability, row
    for _ in range(max_length):
        alive = [h for h in beam if not h[0] or h[0][-1] != eos_id]
        if not alive:
            break
        fed = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=first.device)
        rows = len(first) if len(first) >= len(alive) else 1
        index = torch.arange(len(alive), device=first.device) % rows
        state = tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]
        logits, state = step(fed, state)
        first = state[0] if isinstance(state, tuple) else state
        log_p = logits.log_softmax(dim=-1).tolist()
        candidates = [h for h in beam if h[0] and h[0][-1] == eos_id]
        for row, (tokens, score, _) in enumerate(alive):
            candidates += [(tokens + [v], score + log_p[row][v], row) for v in range(len(log_p[row]))]
        candidates.sort(key=lambda h: -h[1] / len(h[0]) ** length_penalty)
        beam = candidates[:beam_size]
    tokens, score, _ = beam[0]
    return torch.tensor(tokens, device=first.device), score / len(tokens) ** length_penalty

# %% wrong: finished sentences leave the beam
# Finished hypotheses are put into a list of their own and their places in the beam are filled up, and the search goes on to max_length: another, also well-known algorithm, not the one that was promised. A good message: "finished hypotheses compete on for the beam_size places; expected another sentence, fewer steps".

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
        raise ValueError("beam_size and max_length must be at least 1")
    pick = lambda s, index: tuple(part[index] for part in s) if isinstance(s, tuple) else s[index]
    device = (state[0] if isinstance(state, tuple) else state).device
    alive, finished = [([], 0.0)], []
    for _ in range(max_length):
        fed = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in alive], device=device)
        logits, state = step(fed, state)
        totals = logits.log_softmax(-1) + torch.tensor([score for _, score in alive], device=device)[:, None]
        best = totals.flatten().sort(descending=True, stable=True).indices[: 2 * beam_size].tolist()
        V, grown, parents = logits.shape[1], [], []
        for place in best:
            parent, token = divmod(place, V)
            new = (alive[parent][0] + [token], totals[parent, token].item())
            if token == eos_id:
                finished.append(new)
            elif len(grown) < beam_size:
                grown.append(new)
                parents.append(parent)
        if not grown:
            break
        alive, state = grown, pick(state, torch.tensor(parents, device=device))
    scored = [(score / len(tokens) ** length_penalty, tokens) for tokens, score in (finished or alive)]
    score, tokens = max(scored, key=lambda pair: pair[0])
    return torch.tensor(tokens, device=device), score

# %% wrong: the penalty only at the end
# Which beginnings are kept is decided by the bare sums, and only the last choice divides by the length. With length_penalty = 0 it is right. A good message: "with length_penalty 1: the hypotheses are to be compared by their divided scores at every step".

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
        raise ValueError("at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [((), 0.0, None)]
    for _ in range(max_length):
        going = [h for h in beam if h[0][-1:] != (eos_id,)]
        if not going:
            break
        if going[0][2] is not None:
            index = torch.tensor([h[2] for h in going], device=device)
            state = tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]
        logits, state = step(torch.tensor([(bos_id, *h[0])[-1] for h in going], device=device), state)
        log_p = logits.log_softmax(dim=1).tolist()
        candidates = [h for h in beam if h[0][-1:] == (eos_id,)]
        for row, h in enumerate(going):
            candidates += [((*h[0], v), h[1] + lp, row) for v, lp in enumerate(log_p[row])]
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
    tokens, score, _ = max(beam, key=lambda h: h[1] / len(h[0]) ** length_penalty)
    return torch.tensor(tokens, device=device), score / len(tokens) ** length_penalty

# %% wrong: raw logits added up
# The scores are sums of logits, not of log-probabilities: they are not comparable between steps. A good message: "the score is 3.2; a sum of log-probabilities cannot be above 0".

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
        raise ValueError("at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [((), 0.0, 0)]
    for _ in range(max_length):
        going = [h for h in beam if h[0][-1:] != (eos_id,)]
        if not going:
            break
        index = torch.tensor([h[2] for h in going], device=device)
        state = tuple(s[index] for s in state) if isinstance(state, tuple) else state[index]
        logits, state = step(torch.tensor([(bos_id, *h[0])[-1] for h in going], device=device), state)
        candidates = [h for h in beam if h[0][-1:] == (eos_id,)]
        for row, h in enumerate(going):
            candidates += [((*h[0], v), h[1] + lp, row) for v, lp in enumerate(logits[row].tolist())]
        beam = sorted(candidates, key=lambda h: h[1] / len(h[0]) ** length_penalty, reverse=True)[:beam_size]
    tokens, score, _ = beam[0]
    return torch.tensor(tokens, device=device), score / len(tokens) ** length_penalty

# %% correct: hypotheses as small objects, each with a state of its own

class Hypothesis:
    def __init__(self, tokens: tuple, total: float, row: int):
        self.tokens, self.total, self.row = tokens, total, row

    def score(self, length_penalty: float) -> float:
        return self.total / len(self.tokens) ** length_penalty

    def finished(self, eos_id: int) -> bool:
        return len(self.tokens) > 0 and self.tokens[-1] == eos_id


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
    for name, number in (("beam_size", beam_size), ("max_length", max_length)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [Hypothesis((), 0.0, 0)]
    for _ in range(max_length):
        growing = [h for h in beam if not h.finished(eos_id)]
        if not growing:
            break
        rows = torch.tensor([h.row for h in growing], device=device)
        state = tuple(part.index_select(0, rows) for part in state) if isinstance(state, tuple) else state.index_select(0, rows)
        fed = torch.tensor([h.tokens[-1] if h.tokens else bos_id for h in growing], device=device)
        logits, state = step(fed, state)
        candidates = [h for h in beam if h.finished(eos_id)]
        for row, (parent, log_p) in enumerate(zip(growing, torch.log_softmax(logits.double(), dim=-1).tolist())):
            candidates.extend(Hypothesis((*parent.tokens, v), parent.total + l, row) for v, l in enumerate(log_p))
        candidates.sort(key=lambda h: h.score(length_penalty), reverse=True)
        del candidates[beam_size:]
        beam = candidates
    return torch.tensor(beam[0].tokens, device=device), beam[0].score(length_penalty)

# %% correct: in tensors, topk over one long row

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
        raise ValueError(f"need at least 1 of both, got {beam_size=}, {max_length=}")

    def rows_of(kept: Tensor):
        return tuple(part[kept] for part in state) if isinstance(state, tuple) else state[kept]

    device = (state[0] if isinstance(state, tuple) else state).device
    written = torch.zeros(1, 0, dtype=torch.int64, device=device)  # the unfinished, (n, t)
    totals = torch.zeros(1, dtype=torch.float64, device=device)
    done: list[tuple[float, Tensor]] = []  # the finished ones that are kept: score, tokens
    for t in range(1, max_length + 1):
        fed = written[:, -1] if t > 1 else torch.full((1,), bos_id, device=device)
        logits, state = step(fed, state)
        V = logits.shape[1]
        sums = (totals[:, None] + logits.double().log_softmax(dim=1)).flatten()
        old = torch.tensor([score for score, _ in done], dtype=torch.float64, device=device)
        everything = torch.cat([old, sums / t**length_penalty])
        best = everything.argsort(descending=True, stable=True)[:beam_size]
        kept = [done[i] for i in best.tolist() if i < len(done)]
        best = best[best >= len(done)] - len(done)
        parents, tokens = best // V, best % V
        grown = torch.cat([written[parents], tokens[:, None]], dim=1)
        ended = tokens == eos_id
        kept += [((sums[place] / t**length_penalty).item(), row) for place, row in zip(best[ended], grown[ended])]
        done, written, totals = kept, grown[~ended], sums[best[~ended]]
        state = rows_of(parents[~ended])
        if not len(written):
            break
    done += [((total / max_length**length_penalty).item(), row) for total, row in zip(totals, written)]
    score, tokens = max(done, key=lambda pair: pair[0])
    return tokens, score
