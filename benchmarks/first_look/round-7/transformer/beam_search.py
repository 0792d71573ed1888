# %% wrong: the state keeps its rows
# The state is cut to as many rows as there are hypotheses, but row i does not belong to hypothesis i: shows as soon as a
# kept beginning is the second child of one parent, or parents change their order.


def rows_of(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, (tuple, list)):
        return type(state)(rows_of(part, rows) for part in state)
    return state


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
    beam = [([], 0.0)]
    finished = []
    tokens = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, state = step(tokens, state)
        log_probs = torch.log_softmax(logits, dim=-1)
        candidates = [(words, total, None) for words, total in finished]
        for row, (words, total) in enumerate(beam):
            for token, log_prob in enumerate(log_probs[row].tolist()):
                candidates.append((words + [token], total + log_prob, row))
        candidates.sort(key=lambda c: c[1] / len(c[0]) ** length_penalty, reverse=True)
        kept = candidates[:beam_size]
        finished = [(words, total) for words, total, _ in kept if words[-1] == eos_id]
        beam = [(words, total) for words, total, _ in kept if words[-1] != eos_id]
        if not beam:
            break
        rows = torch.arange(len(beam)).clamp(max=len(tokens) - 1)
        state = rows_of(state, rows)
        tokens = torch.tensor([words[-1] for words, _ in beam])
    words, total, _ = kept[0]
    return torch.tensor(words), total / len(words) ** length_penalty


# %% wrong: the length penalty only at the end
# The beginnings are kept by their sums, and the penalty orders only those that are left: with a penalty above 0 short
# finished sentences push longer ones out that would have scored better.


def rows_of(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, (tuple, list)):
        return type(state)(rows_of(part, rows) for part in state)
    return state


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
    beam = [([], 0.0)]
    finished = []
    tokens = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, state = step(tokens, state)
        log_probs = torch.log_softmax(logits, dim=-1)
        candidates = [(words, total, None) for words, total in finished]
        for row, (words, total) in enumerate(beam):
            for token, log_prob in enumerate(log_probs[row].tolist()):
                candidates.append((words + [token], total + log_prob, row))
        candidates.sort(key=lambda c: c[1], reverse=True)
        kept = candidates[:beam_size]
        finished = [(words, total) for words, total, _ in kept if words[-1] == eos_id]
        alive = [c for c in kept if c[0][-1] != eos_id]
        if not alive:
            break
        beam = [(words, total) for words, total, _ in alive]
        state = rows_of(state, torch.tensor([row for _, _, row in alive]))
        tokens = torch.tensor([words[-1] for words, _ in beam])
    score, words = max(((total / len(words) ** length_penalty, words) for words, total, _ in kept), key=lambda c: c[0])
    return torch.tensor(words), score


# %% wrong: finished sentences are set aside
# A finished hypothesis gives up its place and the beam is filled up again with unfinished ones, until max_length: with
# beam_size 1 it goes on where greedy decoding has stopped, and more is searched than the docstring keeps.


def rows_of(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, (tuple, list)):
        return type(state)(rows_of(part, rows) for part in state)
    return state


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
    beam = [([], 0.0)]
    finished = []
    tokens = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, state = step(tokens, state)
        log_probs = torch.log_softmax(logits, dim=-1)
        candidates = []
        for row, (words, total) in enumerate(beam):
            for token, log_prob in enumerate(log_probs[row].tolist()):
                if token == eos_id:
                    finished.append((words + [token], total + log_prob))
                else:
                    candidates.append((words + [token], total + log_prob, row))
        candidates.sort(key=lambda c: c[1] / len(c[0]) ** length_penalty, reverse=True)
        candidates = candidates[:beam_size]
        beam = [(words, total) for words, total, _ in candidates]
        state = rows_of(state, torch.tensor([row for _, _, row in candidates]))
        tokens = torch.tensor([words[-1] for words, _ in beam])
    words, total = max(finished + beam, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return torch.tensor(words), total / len(words) ** length_penalty


# %% wrong: finished sentences are divided by the present length
# All scores of a step are divided by the number of tokens written so far, also those of hypotheses that ended earlier:
# with a length_penalty above 0 a finished one gets better with each step that it waits.


def rows_of(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, (tuple, list)):
        return type(state)(rows_of(part, rows) for part in state)
    return state


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
    beam = [([], 0.0)]
    finished = []
    tokens = torch.tensor([bos_id])
    for length in range(1, max_length + 1):
        logits, state = step(tokens, state)
        log_probs = torch.log_softmax(logits, dim=-1)
        candidates = [(words, total, None) for words, total in finished]
        for row, (words, total) in enumerate(beam):
            for token, log_prob in enumerate(log_probs[row].tolist()):
                candidates.append((words + [token], total + log_prob, row))
        candidates.sort(key=lambda c: c[1] / length**length_penalty, reverse=True)
        kept = candidates[:beam_size]
        finished = [(words, total) for words, total, _ in kept if words[-1] == eos_id]
        alive = [c for c in kept if c[0][-1] != eos_id]
        if not alive:
            break
        beam = [(words, total) for words, total, _ in alive]
        state = rows_of(state, torch.tensor([row for _, _, row in alive]))
        tokens = torch.tensor([words[-1] for words, _ in beam])
    words, total, _ = kept[0]
    return torch.tensor(words), total / length**length_penalty


# %% correct: each hypothesis carries its own row of the state


class Hypothesis:
    def __init__(self, tokens: tuple, total: float, state, power: float):
        self.tokens, self.total, self.state = tokens, total, state
        self.score = total / len(tokens) ** power if tokens else 0.0


def one_row(state, row: int):
    if isinstance(state, Tensor):
        return state[row : row + 1]
    if isinstance(state, dict):
        return {name: one_row(part, row) for name, part in state.items()}
    if isinstance(state, (tuple, list)):
        return type(state)([one_row(part, row) for part in state])
    return state


def joined(states: list):
    first = states[0]
    if isinstance(first, Tensor):
        return torch.cat(states)
    if isinstance(first, dict):
        return {name: joined([state[name] for state in states]) for name in first}
    if isinstance(first, (tuple, list)):
        return type(first)([joined(list(parts)) for parts in zip(*states, strict=True)])
    return first


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
    beam = [Hypothesis((), 0.0, state, length_penalty)]
    for _ in range(max_length):
        writing = [h for h in beam if h.tokens[-1:] != (eos_id,)]
        if not writing:
            break
        last = torch.tensor([h.tokens[-1] if h.tokens else bos_id for h in writing])
        logits, after = step(last, joined([h.state for h in writing]))
        rivals = [h for h in beam if h.tokens[-1:] == (eos_id,)]
        for row, (h, scores) in enumerate(zip(writing, logits.double().log_softmax(dim=-1).tolist(), strict=True)):
            own = one_row(after, row)
            rivals += [Hypothesis((*h.tokens, v), h.total + s, own, length_penalty) for v, s in enumerate(scores)]
        beam = sorted(rivals, key=lambda h: -h.score)[:beam_size]
    return torch.tensor(beam[0].tokens, dtype=torch.long), float(beam[0].score)


# %% correct: tensors throughout: one table of finished and unfinished, a stable sort


def picked(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state.index_select(0, rows)
    if isinstance(state, dict):
        return {name: picked(part, rows) for name, part in state.items()}
    if isinstance(state, (tuple, list)):
        return type(state)([picked(part, rows) for part in state])
    return state


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
        raise ValueError("a beam has at least one hypothesis, and writes at least one token")
    written = torch.empty((1, 0), dtype=torch.long)  # the unfinished ones, all of one length
    totals = torch.zeros(1, dtype=torch.float64)
    ended, ended_scores = [], torch.empty(0, dtype=torch.float64)
    for length in range(1, max_length + 1):
        last = written[:, -1] if length > 1 else torch.tensor([bos_id])
        logits, state = step(last, state)
        sums = totals[:, None] + torch.log_softmax(logits.to(torch.float64), dim=1)
        scores = torch.cat([ended_scores, sums.flatten() / length**length_penalty])
        best_first = scores.sort(descending=True, stable=True).indices[:beam_size]
        best = int(best_first[0])
        from_old = best_first < len(ended)
        fresh = best_first[~from_old] - len(ended)
        parents = fresh.div(sums.shape[1], rounding_mode="floor")
        longer = torch.cat([written[parents], (fresh - parents * sums.shape[1])[:, None]], dim=1)
        top = ended[best] if best < len(ended) else longer[0]
        top_score = scores[best].item()
        done = longer[:, -1] == eos_id
        stay = best_first[from_old]
        ended = [ended[int(i)] for i in stay] + list(longer[done])
        ended_scores = torch.cat([ended_scores[stay], sums.flatten()[fresh[done]] / length**length_penalty])
        if done.all():
            break
        written, totals = longer[~done], sums.flatten()[fresh[~done]]
        state = picked(state, parents[~done])
    return top, top_score
