# %% wrong: the state stays where it was
# Row i of the state is handed to hypothesis i, whichever row it was made from.
# Shows with beam_size of 2 or more and a step whose state differs by row, as soon as the order changes.

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")
    def rows_of(state, rows):
        if isinstance(state, tuple):
            return tuple(part[rows] for part in state)
        return state[rows]

    def score(h):
        return h[1] / len(h[0]) ** length_penalty

    first = state[0] if isinstance(state, tuple) else state
    device = first.device
    kept = [([], 0.0, False, 0)]  # tokens, total, finished, row of the state
    for _ in range(max_length):
        alive = [h for h in kept if not h[2]]
        if not alive:
            break
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        rows = len(state[0]) if isinstance(state, tuple) else len(state)
        state = rows_of(state, [min(i, rows - 1) for i in range(len(alive))])
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits.double(), dim=-1).tolist()
        candidates = [h for h in kept if h[2]]
        for row, (tokens, total, _, _) in enumerate(alive):
            for token, gain in enumerate(log_p[row]):
                candidates.append(([*tokens, token], total + gain, token == eos_id, row))
        kept = sorted(candidates, key=score, reverse=True)[:beam_size]
    best = max(kept, key=score)
    return torch.tensor(best[0], device=device), score(best)

# %% wrong: the penalty only at the end
# In the search sums are compared as they are, and the length comes in when the winner is chosen.
# Shows with length_penalty=1 and a small beam: a longer hypothesis with the better score is thrown away early.

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")
    def rows_of(state, rows):
        if isinstance(state, tuple):
            return tuple(part[rows] for part in state)
        return state[rows]

    def score(h):
        return h[1] / len(h[0]) ** length_penalty

    first = state[0] if isinstance(state, tuple) else state
    device = first.device
    kept = [([], 0.0, False, 0)]  # tokens, total, finished, row of the state
    for _ in range(max_length):
        alive = [h for h in kept if not h[2]]
        if not alive:
            break
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        state = rows_of(state, [h[3] for h in alive])
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits.double(), dim=-1).tolist()
        candidates = [h for h in kept if h[2]]
        for row, (tokens, total, _, _) in enumerate(alive):
            for token, gain in enumerate(log_p[row]):
                candidates.append(([*tokens, token], total + gain, token == eos_id, row))
        kept = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
    best = max(kept, key=score)
    return torch.tensor(best[0], device=device), score(best)

# %% wrong: finished ones first
# Where any hypothesis is finished, the unfinished ones no longer count.
# Shows where max_length ends the search and an unfinished hypothesis has the highest score.

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")
    def rows_of(state, rows):
        if isinstance(state, tuple):
            return tuple(part[rows] for part in state)
        return state[rows]

    def score(h):
        return h[1] / len(h[0]) ** length_penalty

    first = state[0] if isinstance(state, tuple) else state
    device = first.device
    kept = [([], 0.0, False, 0)]  # tokens, total, finished, row of the state
    for _ in range(max_length):
        alive = [h for h in kept if not h[2]]
        if not alive:
            break
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        state = rows_of(state, [h[3] for h in alive])
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits.double(), dim=-1).tolist()
        candidates = [h for h in kept if h[2]]
        for row, (tokens, total, _, _) in enumerate(alive):
            for token, gain in enumerate(log_p[row]):
                candidates.append(([*tokens, token], total + gain, token == eos_id, row))
        kept = sorted(candidates, key=score, reverse=True)[:beam_size]
    done = [h for h in kept if h[2]]
    best = max(done or kept, key=score)
    return torch.tensor(best[0], device=device), score(best)

# %% wrong: a beam wider than what there is
# topk asks for beam_size candidates, also at the first step, where there are only V.
# Shows with beam_size above the vocabulary's size: a RuntimeError.

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")
    def chosen(state, rows):
        return tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]

    device = (state[0] if isinstance(state, tuple) else state).device
    alive, totals = [[]], torch.zeros(1, dtype=torch.float64, device=device)
    done = []  # pairs of tokens and score
    for length in range(1, max_length + 1):
        token = torch.tensor([h[-1] if h else bos_id for h in alive], device=device)
        logits, state = step(token, state)
        V = logits.shape[1]
        totals = (totals[:, None] + torch.log_softmax(logits.double(), dim=1)).flatten()
        scores = torch.cat([totals / length**length_penalty, totals.new_tensor([s for _, s in done])])
        best = scores.topk(beam_size).indices.tolist()
        grown = [i for i in best if i < len(totals)]
        done = [done[i - len(totals)] for i in best if i >= len(totals)]
        done += [(alive[i // V] + [i % V], scores[i].item()) for i in grown if i % V == eos_id]
        rows = [i for i in grown if i % V != eos_id]
        alive, totals = [alive[i // V] + [i % V] for i in rows], totals[rows]
        if not rows:
            break
        state = chosen(state, torch.tensor([i // V for i in rows], device=device))
    done += [(h, t / len(h) ** length_penalty) for h, t in zip(alive, totals.tolist())]
    tokens, score = max(done, key=lambda pair: pair[1])
    return torch.tensor(tokens, device=device), score

# %% correct: objects and a heap

# Hypotheses are objects that know their score; heapq keeps the best, and each carries its own slice of the state.

import heapq
from dataclasses import dataclass


@dataclass
class Hypothesis:
    tokens: list
    total: float
    own_state: object
    ended: bool = False

    def score(self, power):
        return self.total / len(self.tokens) ** power


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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")
    as_tuple = isinstance(state, tuple)

    def joined(states):
        if as_tuple:
            return tuple(torch.cat(parts) for parts in zip(*states, strict=True))
        return torch.cat(states)

    def row_of(whole, i):
        return tuple(part[i : i + 1] for part in whole) if as_tuple else whole[i : i + 1]

    device = (state[0] if as_tuple else state).device
    beam = [Hypothesis([], 0.0, state)]
    written = 0
    while written < max_length and not all(h.ended for h in beam):
        going = [h for h in beam if not h.ended]
        token = torch.tensor([(h.tokens or [bos_id])[-1] for h in going], device=device)
        logits, after = step(token, joined([h.own_state for h in going]))
        gains = F.log_softmax(logits.to(torch.float64), dim=-1).tolist()
        pool = [h for h in beam if h.ended]
        for i, h in enumerate(going):
            mine = row_of(after, i)
            pool += [Hypothesis(h.tokens + [v], h.total + g, mine, v == eos_id) for v, g in enumerate(gains[i])]
        beam = heapq.nlargest(beam_size, pool, key=lambda h: h.score(length_penalty))
        written += 1
    best = max(beam, key=lambda h: h.score(length_penalty))
    return torch.tensor(best.tokens, device=device), best.score(length_penalty)

# %% correct: tensors all through

# Unfinished hypotheses are rows of tensors; finished ones wait in a list of scores that is sorted together with them.

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")
    several = isinstance(state, tuple)
    device = state[0].device if several else state.device
    history = torch.zeros((1, 0), dtype=torch.int64, device=device)
    totals = torch.zeros(1, dtype=torch.float64, device=device)
    ended: list[tuple[Tensor, float]] = []
    for length in range(1, max_length + 1):
        last = history[:, -1] if length > 1 else torch.full((1,), bos_id, dtype=torch.int64, device=device)
        logits, state = step(last, state)
        V = logits.shape[-1]
        grown = (totals.unsqueeze(1) + logits.double().log_softmax(dim=-1)).reshape(-1)
        old = torch.tensor([score for _, score in ended], dtype=torch.float64, device=device)
        order = torch.cat([old, grown / length**length_penalty]).argsort(descending=True)[:beam_size]
        still = [ended[i] for i in order[order < len(old)].tolist()]
        new = order[order >= len(old)] - len(old)
        parent, token = torch.div(new, V, rounding_mode="floor"), new % V
        extended = torch.cat([history[parent], token.unsqueeze(1)], dim=1)
        closing = token == eos_id
        for tokens, total in zip(extended[closing], grown[new][closing].tolist(), strict=True):
            still.append((tokens, total / length**length_penalty))
        ended = still
        history, totals, parent = extended[~closing], grown[new][~closing], parent[~closing]
        if len(history) == 0:
            break
        state = tuple(s.index_select(0, parent) for s in state) if several else state.index_select(0, parent)
    everyone = [*ended, *((t, s / len(t) ** length_penalty) for t, s in zip(history, totals.tolist(), strict=True))]
    tokens, score = max(everyone, key=lambda pair: pair[1])
    return tokens.clone(), score
