# %% wrong: the state does not follow the hypotheses
# The state is copied beam_size times at first; after that its rows stay where they are, whatever beginning each hypothesis was made of.
# Breaks "row i of the state has to belong to hypothesis i". Hint: after the choice, which old row did hypothesis i come from?

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
        raise ValueError(f"need at least 1, got {beam_size=}, {max_length=}")

    def copies(x: Tensor, count: int) -> Tensor:
        return x[:count] if len(x) >= count else x[:1].repeat_interleave(count, dim=0)

    def score(hypothesis) -> float:
        tokens, total, _ = hypothesis
        return total / len(tokens) ** length_penalty

    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [([], 0.0, False)]
    for _ in range(max_length):
        alive = [h for h in beam if not h[2]]
        if not alive:
            break
        if isinstance(state, tuple):
            state = tuple(copies(x, len(alive)) for x in state)
        else:
            state = copies(state, len(alive))
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        logits, state = step(last, state)
        candidates = [h for h in beam if h[2]]
        for (tokens, total, _), row in zip(alive, logits.log_softmax(dim=1).tolist(), strict=True):
            candidates += [(tokens + [v], total + log_p, v == eos_id) for v, log_p in enumerate(row)]
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
    tokens = torch.tensor(beam[0][0], device=device)
    return tokens, score(beam[0])


# %% wrong: the length penalty only at the end
# While searching hypotheses compete by their bare sums; the division by the length is made once, for the last choice and the score.
# Breaks "of all of them the beam_size with the highest scores are kept": a score is divided by the length. Hint: what is a score, in the docstring?

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
        raise ValueError(f"need at least 1, got {beam_size=}, {max_length=}")
    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [([], 0.0, False, 0)]
    for _ in range(max_length):
        alive = [h for h in beam if not h[2]]
        if not alive:
            break
        rows = torch.tensor([h[3] for h in alive], device=device)
        state = tuple(x[rows] for x in state) if isinstance(state, tuple) else state[rows]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in alive], device=device)
        logits, state = step(last, state)
        candidates = [h for h in beam if h[2]]
        for i, row in enumerate(logits.log_softmax(dim=1).tolist()):
            tokens, total, _, _ = alive[i]
            candidates += [(tokens + [v], total + log_p, v == eos_id, i) for v, log_p in enumerate(row)]
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
    scores = [h[1] / len(h[0]) ** length_penalty for h in beam]
    best = max(range(len(beam)), key=scores.__getitem__)
    return torch.tensor(beam[best][0], device=device), scores[best]


# %% wrong: stops at the first that ends
# The search is over as soon as one hypothesis of the beam is finished.
# Breaks "the search ends when all that are kept are finished": a longer one could still have won. Hint: can an unfinished hypothesis still be the best?

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
        raise ValueError(f"need at least 1, got {beam_size=}, {max_length=}")

    def score(hypothesis) -> float:
        tokens, total, _, _ = hypothesis
        return total / len(tokens) ** length_penalty

    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [([], 0.0, False, 0)]
    for _ in range(max_length):
        rows = torch.tensor([h[3] for h in beam], device=device)
        state = tuple(x[rows] for x in state) if isinstance(state, tuple) else state[rows]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in beam], device=device)
        logits, state = step(last, state)
        candidates = []
        for i, row in enumerate(logits.log_softmax(dim=1).tolist()):
            tokens, total, _, _ = beam[i]
            candidates += [(tokens + [v], total + log_p, v == eos_id, i) for v, log_p in enumerate(row)]
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
        ended = [h for h in beam if h[2]]
        if ended:
            return torch.tensor(ended[0][0], device=device), score(ended[0])
    return torch.tensor(beam[0][0], device=device), score(beam[0])


# %% wrong: finished ones are put aside
# As in many libraries, a finished hypothesis leaves the beam for a list of its own, and beam_size unfinished ones are searched on.
# Breaks "stay as they are and compete on": finished ones have to take places of the beam_size. Hint: how many hypotheses may be kept at a step, finished ones included?

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
        raise ValueError(f"need at least 1, got {beam_size=}, {max_length=}")

    def score(hypothesis) -> float:
        tokens, total, _ = hypothesis
        return total / len(tokens) ** length_penalty

    device = (state[0] if isinstance(state, tuple) else state).device
    beam, finished = [([], 0.0, 0)], []
    for _ in range(max_length):
        rows = torch.tensor([h[2] for h in beam], device=device)
        state = tuple(x[rows] for x in state) if isinstance(state, tuple) else state[rows]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in beam], device=device)
        logits, state = step(last, state)
        candidates = []
        for i, row in enumerate(logits.log_softmax(dim=1).tolist()):
            tokens, total, _ = beam[i]
            for v, log_p in enumerate(row):
                hypothesis = (tokens + [v], total + log_p, i)
                (finished if v == eos_id else candidates).append(hypothesis)
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
        finished = sorted(finished, key=score, reverse=True)[:beam_size]
        if not beam:
            break
    best = max(finished + beam, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% correct: tensors of tokens, sums and lengths

def rows_of(state, rows: Tensor):
    """The rows of a state, a tensor or a tuple of tensors with the batch first."""
    if isinstance(state, tuple):
        return tuple(part.index_select(0, rows) for part in state)
    return state.index_select(0, rows)


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
        raise ValueError("beam_size and max_length have to be at least 1")
    device = (state[0] if isinstance(state, tuple) else state).device
    sums = torch.zeros(1, dtype=torch.float64, device=device)
    lengths = torch.zeros(1, dtype=torch.int64, device=device)
    finished = torch.zeros(1, dtype=torch.bool, device=device)
    written = torch.full((1, 1), bos_id, device=device)  # column 0 is cut off at the end
    for _ in range(max_length):
        writing = torch.nonzero(~finished).squeeze(1)
        done = torch.nonzero(finished).squeeze(1)
        if len(writing) == 0:
            break
        logits, state = step(written[writing, -1], state)
        log_p = torch.log_softmax(logits.double(), dim=1)
        size = log_p.shape[1]
        parents = torch.cat([done, writing.repeat_interleave(size)])
        rows = torch.cat([torch.full_like(done, -1), torch.arange(len(writing), device=device).repeat_interleave(size)])
        tokens = torch.cat([torch.full_like(done, eos_id), torch.arange(size, device=device).repeat(len(writing))])
        all_sums = torch.cat([sums[done], (sums[writing].unsqueeze(1) + log_p).flatten()])
        all_lengths = lengths[parents] + (rows >= 0)
        order = (all_sums / all_lengths.double() ** length_penalty).sort(descending=True, stable=True).indices[:beam_size]
        rows, tokens, parents = rows[order], tokens[order], parents[order]
        sums, lengths = all_sums[order], all_lengths[order]
        written = torch.cat([written[parents], tokens.unsqueeze(1)], dim=1)  # finished rows are filled up with eos_id
        finished = tokens == eos_id
        state = rows_of(state, rows[~finished])
    scores = sums / lengths.double() ** length_penalty
    best = int(scores.argmax())
    return written[best, 1 : 1 + int(lengths[best])], scores[best].item()


# %% correct: a small class and heapq

import heapq
from dataclasses import dataclass


@dataclass
class Hypothesis:
    tokens: tuple[int, ...]
    log_p: float
    finished: bool
    row: int  # of the state that its last token came from

    def score(self, power: float) -> float:
        return self.log_p / len(self.tokens) ** power


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
    first = state[0] if isinstance(state, tuple) else state
    kept = [Hypothesis((), 0.0, False, 0)]
    written = 0
    while written < max_length and not all(h.finished for h in kept):
        alive = [h for h in kept if not h.finished]
        rows = torch.tensor([h.row for h in alive], device=first.device)
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
        token = torch.tensor([(bos_id, *h.tokens)[-1] for h in alive], device=first.device)
        logits, state = step(token, state)
        log_p = F.log_softmax(logits, dim=-1)
        pool = [h for h in kept if h.finished]
        for row, h in enumerate(alive):
            # of one hypothesis' extensions, all of one length, no more than beam_size can be kept
            best = log_p[row].sort(descending=True, stable=True).indices[:beam_size].tolist()
            pool.extend(
                Hypothesis((*h.tokens, v), h.log_p + log_p[row, v].item(), v == eos_id, row) for v in best
            )
        kept = heapq.nlargest(beam_size, pool, key=lambda h: h.score(length_penalty))
        written += 1
    winner = max(kept, key=lambda h: h.score(length_penalty))
    return torch.tensor(winner.tokens, device=first.device), winner.score(length_penalty)
