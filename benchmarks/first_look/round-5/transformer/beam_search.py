# %% wrong: places in the beam are taken for rows of the state
# The state holds rows for unfinished hypotheses alone, but is indexed with the place in the whole beam; this goes wrong
# once a finished hypothesis stands above an unfinished one.

def rows_of(state, rows):
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
    beam = [([], 0.0, False)]
    last = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, state = step(last, state)
        log_p = logits.log_softmax(dim=-1)
        candidates, row = [], 0
        for place, (tokens, total, finished) in enumerate(beam):
            if finished:
                candidates.append((total / len(tokens) ** length_penalty, tokens, total, True, place))
                continue
            for v, value in enumerate(log_p[row].tolist()):
                longer = [*tokens, v]
                score = (total + value) / len(longer) ** length_penalty
                candidates.append((score, longer, total + value, v == eos_id, place))
            row += 1
        candidates.sort(key=lambda c: -c[0])
        kept = candidates[:beam_size]
        beam = [(tokens, total, finished) for _, tokens, total, finished, _ in kept]
        places = [place for _, _, _, finished, place in kept if not finished]
        if not places:
            break
        state = rows_of(state, torch.tensor(places))
        last = torch.tensor([tokens[-1] for tokens, _, finished in beam if not finished])
    tokens, total, _ = beam[0]
    return torch.tensor(tokens), total / len(tokens) ** length_penalty


# %% wrong: finished ones are divided by the length of the others
# The length penalty takes the number of steps so far for all, so that a short finished hypothesis gets better with
# every step that others are written on.

def rows_of(state, rows):
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
    if min(beam_size, max_length) < 1:
        raise ValueError(f"{beam_size=} and {max_length=} must be at least 1")
    beam = [([], 0.0)]
    last = torch.tensor([bos_id])
    for written in range(1, max_length + 1):
        logits, state = step(last, state)
        log_p = logits.log_softmax(dim=-1).tolist()
        candidates, row = [], 0
        for tokens, total in beam:
            if tokens and tokens[-1] == eos_id:
                candidates.append((tokens, total, None))
            else:
                candidates.extend(([*tokens, v], total + value, row) for v, value in enumerate(log_p[row]))
                row += 1
        candidates.sort(key=lambda c: c[1] / written**length_penalty, reverse=True)
        candidates = candidates[:beam_size]
        beam = [(tokens, total) for tokens, total, _ in candidates]
        going = [(tokens, row) for tokens, _, row in candidates if tokens[-1] != eos_id]
        if not going:
            break
        state = rows_of(state, torch.tensor([row for _, row in going]))
        last = torch.tensor([tokens[-1] for tokens, _ in going])
    tokens, total = beam[0]
    return torch.tensor(tokens), total / written**length_penalty


# %% wrong: finished hypotheses leave the beam
# They go to a pool of their own and free their place, so that beam_size others go on, which the docstring would have
# dropped; the finished do not compete.

def take(state, rows):
    if isinstance(state, (tuple, list)):
        return tuple(take(part, rows) for part in state)
    return state.index_select(0, rows) if isinstance(state, Tensor) else state


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
        raise ValueError("both have to be one or more")

    def score(hypothesis):
        tokens, total = hypothesis[:2]
        return total / len(tokens) ** length_penalty

    alive, done = [([], 0.0)], []
    last = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, state = step(last, state)
        log_p = F.log_softmax(logits, dim=-1)
        extended = []
        for row, (tokens, total) in enumerate(alive):
            for v in range(log_p.shape[1]):
                extended.append((tokens + [v], total + log_p[row, v].item(), row))
        done += [h for h in extended if h[0][-1] == eos_id]
        going = sorted((h for h in extended if h[0][-1] != eos_id), key=score, reverse=True)[:beam_size]
        if len(done) >= beam_size * max_length or not going:
            break
        alive = [h[:2] for h in going]
        state = take(state, torch.tensor([h[2] for h in going]))
        last = torch.tensor([h[0][-1] for h in going])
    best = max(done or alive, key=score)
    return torch.tensor(best[0]), score(best)


# %% wrong: the length penalty comes at the end alone
# While searching, hypotheses compete by their plain sums; the penalty only chooses among the last ones.

def chosen_rows(state, rows):
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, tuple):
        return tuple(chosen_rows(s, rows) for s in state)
    if isinstance(state, list):
        return [chosen_rows(s, rows) for s in state]
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
        raise ValueError(f"beam_size {beam_size}, max_length {max_length}")
    finished, going = [], [([], 0.0, 0)]
    last = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits, dim=1).tolist()
        extended = [
            (tokens + [v], total + value, row)
            for row, (tokens, total, _) in enumerate(going)
            for v, value in enumerate(log_p[row])
        ]
        everyone = sorted(finished + extended, key=lambda h: h[1], reverse=True)[:beam_size]
        finished = [h for h in everyone if h[0][-1] == eos_id]
        going = [h for h in everyone if h[0][-1] != eos_id]
        if not going:
            break
        state = chosen_rows(state, torch.tensor([h[2] for h in going]))
        last = torch.tensor([h[0][-1] for h in going])
    tokens, score = max(
        ((tokens, total / len(tokens) ** length_penalty) for tokens, total, _ in finished + going), key=lambda h: h[1]
    )
    return torch.tensor(tokens), score


# %% wrong: knows one form of state alone
# The state is taken apart into tokens, memory and mask; a state of another form, as that of the models of other
# chapters, fails.

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
        raise ValueError("beam_size must be at least 1")
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    finished, going = [], [([], 0.0)]
    last = torch.tensor([bos_id])
    for _ in range(max_length):
        logits, (written, memory, memory_mask) = step(last, state)
        log_p = logits.log_softmax(-1).tolist()
        pool = [(tokens, total, -1) for tokens, total in finished]
        for row, (tokens, total) in enumerate(going):
            pool += [(tokens + [v], total + p, row) for v, p in enumerate(log_p[row])]
        pool.sort(key=lambda h: h[1] / len(h[0]) ** length_penalty, reverse=True)
        pool = pool[:beam_size]
        finished = [h[:2] for h in pool if h[0][-1] == eos_id]
        going = [h[:2] for h in pool if h[0][-1] != eos_id]
        if not going:
            break
        rows = torch.tensor([h[2] for h in pool if h[0][-1] != eos_id])
        state = (written[rows], memory[rows], memory_mask[rows])
        last = torch.tensor([h[0][-1] for h in going])
    tokens, total = pool[0][:2]
    return torch.tensor(tokens), total / len(tokens) ** length_penalty


# %% correct: hypotheses as objects with states of their own

from dataclasses import dataclass


@dataclass
class Hypothesis:
    tokens: tuple
    total: float
    state: object
    finished: bool

    def score(self, power: float) -> float:
        return self.total / len(self.tokens) ** power


def one_row(state, row: int):
    if isinstance(state, Tensor):
        return state[row : row + 1]
    if isinstance(state, dict):
        return {name: one_row(part, row) for name, part in state.items()}
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*(one_row(part, row) for part in state))
    if isinstance(state, (tuple, list)):
        return type(state)(one_row(part, row) for part in state)
    return state


def one_below_the_other(states: list):
    first = states[0]
    if isinstance(first, Tensor):
        return torch.cat(states, dim=0)
    if isinstance(first, dict):
        return {name: one_below_the_other([s[name] for s in states]) for name in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(one_below_the_other(list(parts)) for parts in zip(*states, strict=True)))
    if isinstance(first, (tuple, list)):
        return type(first)(one_below_the_other(list(parts)) for parts in zip(*states, strict=True))
    return first


def a_tensor_of(state):
    if isinstance(state, Tensor):
        return state
    parts = state.values() if isinstance(state, dict) else state if isinstance(state, (tuple, list)) else ()
    return next((found for found in map(a_tensor_of, parts) if found is not None), None)


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
        raise ValueError(f"beam_size and max_length are 1 at least, not {beam_size} and {max_length}")
    found = a_tensor_of(state)
    device = torch.device("cpu") if found is None else found.device
    beam = [Hypothesis((), 0.0, state, False)]
    for _ in range(max_length):
        open_ones = [h for h in beam if not h.finished]
        if not open_ones:
            break
        last = torch.tensor([h.tokens[-1] if h.tokens else bos_id for h in open_ones], device=device)
        logits, after = step(last, one_below_the_other([h.state for h in open_ones]))
        order = logits.sort(dim=-1, descending=True, stable=True).indices[:, :beam_size].tolist()
        log_p = logits.double().log_softmax(dim=-1)
        pool = [h for h in beam if h.finished]
        for row, h in enumerate(open_ones):
            own = one_row(after, row)
            for v in order[row]:  # of one hypothesis no more than its beam_size best can be kept
                pool.append(Hypothesis((*h.tokens, v), h.total + log_p[row, v].item(), own, v == eos_id))
        beam = sorted(pool, key=lambda h: -h.score(length_penalty))[:beam_size]
    best = beam[0]
    return torch.tensor(best.tokens, dtype=torch.long, device=device), best.score(length_penalty)


# %% correct: one long vector of candidates

def reordered(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, dict):
        return {name: reordered(part, rows) for name, part in state.items()}
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*(reordered(part, rows) for part in state))
    if isinstance(state, (tuple, list)):
        return type(state)([reordered(part, rows) for part in state])
    return state


def first_tensor(state) -> Tensor | None:
    stack = [state]
    while stack:
        part = stack.pop()
        if isinstance(part, Tensor):
            return part
        if isinstance(part, dict):
            stack.extend(part.values())
        elif isinstance(part, (tuple, list)):
            stack.extend(part)
    return None


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
        raise ValueError("a beam of one hypothesis and one token is the least")
    anywhere = first_tensor(state)
    device = None if anywhere is None else anywhere.device
    # The finished: tokens and scores, which do not change any more. The others: one table of tokens, one of sums.
    done_tokens, done_scores = [], torch.zeros(0, dtype=torch.float64, device=device)
    tokens = torch.zeros(1, 0, dtype=torch.long, device=device)
    sums = torch.zeros(1, dtype=torch.float64, device=device)
    last = torch.full((1,), bos_id, dtype=torch.long, device=device)
    for length in range(1, max_length + 1):
        logits, state = step(last, state)
        longer = sums.unsqueeze(1) + logits.double().log_softmax(dim=1)  # (open, V)
        vocab_size = longer.shape[1]
        scores = torch.cat([done_scores, longer.flatten() / length**length_penalty])
        kept = scores.sort(descending=True, stable=True).indices[:beam_size]
        old = kept[kept < len(done_tokens)]
        new = kept[kept >= len(done_tokens)] - len(done_tokens)
        parents, words = new // vocab_size, new % vocab_size
        table = torch.cat([tokens[parents], words.unsqueeze(1)], dim=1)
        ends = words == eos_id
        done_scores = torch.cat([done_scores[old], longer.flatten()[new[ends]] / length**length_penalty])
        done_tokens = [done_tokens[i] for i in old.tolist()] + list(table[ends])
        tokens, sums, last = table[~ends], longer.flatten()[new[~ends]], words[~ends]
        if len(last) == 0:
            break
        state = reordered(state, parents[~ends])
    hypotheses = done_tokens + list(tokens)
    scores = torch.cat([done_scores, sums / length**length_penalty])
    best = int(scores.argmax())
    return hypotheses[best], scores[best].item()
