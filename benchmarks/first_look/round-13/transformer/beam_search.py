# %% wrong: the length penalty only at the end
# The beam is cut by the plain sums, and the penalty decides among the survivors. With length_penalty = 1 a longer hypothesis
# that would win is pruned on the way.

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
    beam = [([], 0.0, False, 0)]  # tokens, sum, finished, row of the state
    for _ in range(max_length):
        alive = [h for h in beam if not h[2]]
        if not alive:
            break
        rows = torch.tensor([h[3] for h in alive], device=device)
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        logits, state = step(last, state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        candidates = [h for h in beam if h[2]]
        for row, h in enumerate(alive):
            candidates += [(h[0] + [v], h[1] + lp, v == eos_id, row) for v, lp in enumerate(log_p[row])]
        candidates.sort(key=lambda h: h[1], reverse=True)
        beam = candidates[:beam_size]

    def score(h) -> float:
        return h[1] / len(h[0]) ** length_penalty

    best = max(beam, key=score)
    return torch.tensor(best[0], device=device), score(best)

# %% wrong: a finished sentence is preferred
# At the end only finished hypotheses are compared where there are any. The text compares them "by score, finished or not, also
# when max_length ends the search": an unfinished one with a higher score should be returned.

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

    def score(h) -> float:
        return h[1] / len(h[0]) ** length_penalty

    beam = [([], 0.0, False, 0)]
    for _ in range(max_length):
        alive = [h for h in beam if not h[2]]
        if not alive:
            break
        rows = torch.tensor([h[3] for h in alive], device=device)
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        logits, state = step(last, state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        candidates = [h for h in beam if h[2]]
        for row, h in enumerate(alive):
            candidates += [(h[0] + [v], h[1] + lp, v == eos_id, row) for v, lp in enumerate(log_p[row])]
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
    finished = [h for h in beam if h[2]]
    best = max(finished or beam, key=score)
    return torch.tensor(best[0], device=device), score(best)

# %% wrong: stops when the best is finished
# Without a penalty a finished leader cannot be overtaken. With length_penalty above 0 an unfinished one can grow past it, and
# the search ends too early: it should go on until all that are kept are finished.

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
    beam = [([], 0.0, False, 0, 0.0)]  # tokens, sum, finished, row, score
    while not beam[0][2] and len(beam[0][0]) < max_length:
        alive = [h for h in beam if not h[2]]
        rows = torch.tensor([h[3] for h in alive], device=device)
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        logits, state = step(last, state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        candidates = [h for h in beam if h[2]]
        for row, h in enumerate(alive):
            for v, lp in enumerate(log_p[row]):
                tokens, total = h[0] + [v], h[1] + lp
                candidates.append((tokens, total, v == eos_id, row, total / len(tokens) ** length_penalty))
        beam = sorted(candidates, key=lambda h: h[4], reverse=True)[:beam_size]
    return torch.tensor(beam[0][0], device=device), beam[0][4]

# %% wrong: the state is taken for a tuple
# tuple(part[rows] for part in state): where the state is one tensor this walks along its rows, and step gets a tuple of
# pieces. Shows with any state that is a tensor, from the second step on.

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
    device = state[0].device

    def score(h) -> float:
        return h[1] / len(h[0]) ** length_penalty

    beam, tokens_in = [([], 0.0, False, 0)], torch.tensor([bos_id], device=device)
    for _ in range(max_length):
        logits, state = step(tokens_in, state)
        log_p = logits.double().log_softmax(dim=-1).tolist()
        candidates = [h for h in beam if h[2]]
        for row, h in enumerate(h for h in beam if not h[2]):
            candidates += [(h[0] + [v], h[1] + lp, v == eos_id, row) for v, lp in enumerate(log_p[row])]
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
        alive = [h for h in beam if not h[2]]
        if not alive:
            break
        rows = torch.tensor([h[3] for h in alive], device=device)
        state = tuple(part[rows] for part in state)
        tokens_in = torch.tensor([h[0][-1] for h in alive], device=device)
    return torch.tensor(beam[0][0], device=device), score(beam[0])

# %% correct: every hypothesis keeps a state of its own

import heapq
from typing import NamedTuple


class Beginning(NamedTuple):
    tokens: tuple
    total: float
    score: float
    state: object  # a batch of one, or None where it is finished


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
    device = state[0].device

    def grown(one: Beginning):
        last = one.tokens[-1] if one.tokens else bos_id
        logits, after = step(torch.tensor([last], device=device), one.state)
        divisor = (len(one.tokens) + 1) ** length_penalty
        for token, log_p in enumerate(F.log_softmax(logits[0].double(), dim=0).tolist()):
            total = one.total + log_p
            yield Beginning((*one.tokens, token), total, total / divisor, None if token == eos_id else after)

    kept = [Beginning((), 0.0, 0.0, state)]
    for _ in range(max_length):
        if all(one.state is None for one in kept):
            break
        candidates = [new for one in kept for new in ([one] if one.state is None else grown(one))]
        kept = heapq.nlargest(beam_size, candidates, key=lambda one: one.score)
    best = max(kept, key=lambda one: one.score)
    return torch.tensor(best.tokens, device=device), best.score

# %% correct: tensors alone, finished rows in a table of their own

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
        raise ValueError("beam_size and max_length must be 1 or more")
    several = isinstance(state, tuple)
    device = state[0].device
    written = torch.empty(1, 0, dtype=torch.int64, device=device)  # the unfinished ones, all of one length
    sums = torch.zeros(1, dtype=torch.float64, device=device)
    done, done_scores = [], torch.empty(0, dtype=torch.float64, device=device)
    token = torch.full((1,), bos_id, device=device)
    scores = sums
    for length in range(1, max_length + 1):
        logits, state = step(token, state)
        extended = sums.unsqueeze(1) + torch.log_softmax(logits.to(torch.float64), dim=1)  # (n, V)
        V = extended.shape[1]
        rivals = torch.cat([done_scores, extended.flatten() / length**length_penalty])
        chosen = rivals.sort(descending=True).indices[:beam_size]
        old = chosen[chosen < len(done)]
        new = chosen[chosen >= len(done)] - len(done)
        row, token = new // V, new % V
        sums = extended.flatten()[new]
        scores = rivals[new + len(done)]
        written = torch.cat([written[row], token.unsqueeze(1)], dim=1)
        ended = token == eos_id
        done = [done[i] for i in old.tolist()] + list(written[ended])
        done_scores = torch.cat([done_scores[old], scores[ended]])
        written, sums, scores, token, row = written[~ended], sums[~ended], scores[~ended], token[~ended], row[~ended]
        if len(token) == 0:
            break
        state = tuple(part[row] for part in state) if several else state[row]
    final = torch.cat([done_scores, scores])
    best = int(final.argmax())
    return (done + list(written))[best], float(final[best])
