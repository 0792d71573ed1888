# %% wrong: row taken by place in the beam
# The state's rows are picked by the parent's place in the whole beam, not among those still being written, so
# that they belong to other hypotheses (or do not exist) once one has finished.

def take_rows(state, rows):
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, (tuple, list)):
        return tuple(take_rows(part, rows) for part in state)
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

    def score(hyp):
        return hyp[1] / len(hyp[0]) ** length_penalty

    beam = [([], 0.0, False, 0)]
    for _ in range(max_length):
        live = [hyp for hyp in beam if not hyp[2]]
        if not live:
            break
        last = torch.tensor([hyp[0][-1] if hyp[0] else bos_id for hyp in live])
        logits, state = step(last, state)
        log_probs = logits.log_softmax(-1)
        candidates = []
        row = 0
        for parent, (tokens, total, done, _) in enumerate(beam):
            if done:
                candidates.append((tokens, total, True, parent))
                continue
            for word, value in enumerate(log_probs[row].tolist()):
                candidates.append((tokens + [word], total + value, word == eos_id, parent))
            row += 1
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
        rows = torch.tensor([hyp[3] for hyp in beam if not hyp[2]], dtype=torch.long)
        state = take_rows(state, rows)
    best = max(beam, key=score)
    return torch.tensor(best[0]), score(best)


# %% wrong: the divided score is carried on
# What is kept as the running sum has already been divided by the length to the power, so that with a length
# penalty early words are divided again at every step.

def pick(state, index):
    if isinstance(state, Tensor):
        return state.index_select(0, index)
    if isinstance(state, (tuple, list)):
        return type(state)(pick(s, index) for s in state)
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
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, not {max_length}")
    unfinished = [(0.0, [])]
    finished = []
    for length in range(1, max_length + 1):
        tokens = torch.tensor([words[-1] if words else bos_id for _, words in unfinished])
        logits, state = step(tokens, state)
        log_probs = F.log_softmax(logits, dim=-1)
        everything = [(score, words, None) for score, words in finished]
        for row, (score, words) in enumerate(unfinished):
            for token in range(log_probs.shape[1]):
                new = (score + log_probs[row, token].item()) / length**length_penalty
                everything.append((new, words + [token], row))
        everything.sort(key=lambda c: c[0], reverse=True)
        everything = everything[:beam_size]
        finished = [(s, w) for s, w, _ in everything if w[-1] == eos_id]
        unfinished = [(s, w) for s, w, _ in everything if w[-1] != eos_id]
        if not unfinished:
            break
        state = pick(state, torch.tensor([r for _, w, r in everything if w[-1] != eos_id]))
    score, words = max(finished + unfinished, key=lambda c: c[0])
    return torch.tensor(words), score


# %% wrong: finished sentences are preferred at the end
# When max_length is reached, the best finished hypothesis is returned although an unfinished one that was kept
# has a higher score.

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
        raise ValueError("beam_size and max_length have to be positive")

    def rows_of(thing, rows):
        if torch.is_tensor(thing):
            return thing[rows]
        if isinstance(thing, (tuple, list)):
            return type(thing)(rows_of(part, rows) for part in thing)
        return thing

    hyps = [{"tokens": [], "sum": 0.0, "done": False}]

    def score(h):
        return h["sum"] / len(h["tokens"]) ** length_penalty

    for _ in range(max_length):
        active = [h for h in hyps if not h["done"]]
        if not active:
            break
        inputs = torch.tensor([(h["tokens"] or [bos_id])[-1] for h in active])
        logits, state = step(inputs, state)
        logp = logits.log_softmax(dim=1).tolist()
        pool = [h for h in hyps if h["done"]]
        for i, h in enumerate(active):
            for v, lp in enumerate(logp[i]):
                pool.append({"tokens": h["tokens"] + [v], "sum": h["sum"] + lp, "done": v == eos_id, "row": i})
        hyps = sorted(pool, key=score, reverse=True)[:beam_size]
        keep = [h["row"] for h in hyps if not h["done"]]
        if keep:
            state = rows_of(state, torch.tensor(keep))

    complete = [h for h in hyps if h["done"]]
    best = max(complete or hyps, key=score)
    return torch.tensor(best["tokens"]), score(best)


# %% wrong: begins with beam_size equal hypotheses
# The state is copied beam_size times at the start and all copies have score 0, so that the same beginnings fill
# the beam several times over.

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
        raise ValueError

    def gather(s, rows):
        if isinstance(s, Tensor):
            return s[rows]
        if isinstance(s, (tuple, list)):
            return tuple(gather(part, rows) for part in s)
        return s

    state = gather(state, torch.zeros(beam_size, dtype=torch.long))
    beams = [([], 0.0)] * beam_size
    done = []
    for _ in range(max_length):
        token = torch.tensor([b[0][-1] if b[0] else bos_id for b in beams])
        logits, state = step(token, state)
        logp = torch.log_softmax(logits, dim=-1)
        options = [(tokens, total, -1) for tokens, total in done]
        for i, (tokens, total) in enumerate(beams):
            for v in range(logp.size(1)):
                options.append((tokens + [v], total + float(logp[i, v]), i))
        options.sort(key=lambda o: o[1] / len(o[0]) ** length_penalty, reverse=True)
        options = options[:beam_size]
        done = [(t, s) for t, s, _ in options if t[-1] == eos_id]
        beams = [(t, s) for t, s, _ in options if t[-1] != eos_id]
        if len(beams) == 0:
            break
        state = gather(state, torch.tensor([i for t, _, i in options if t[-1] != eos_id]))
    tokens, total = max(done + beams, key=lambda o: o[1] / len(o[0]) ** length_penalty)
    return torch.tensor(tokens), total / len(tokens) ** length_penalty


# %% wrong: stops when the best one is finished
# The search ends as soon as the hypothesis with the highest score is finished. With a length penalty the others
# that are kept may still overtake it.

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
        raise ValueError("beam_size and max_length must be 1 or more")

    def select(s, rows):
        if isinstance(s, Tensor):
            return s.index_select(0, rows)
        if isinstance(s, (tuple, list)):
            return type(s)(select(p, rows) for p in s)
        return s

    def normalised(candidate):
        return candidate[1] / len(candidate[0]) ** length_penalty

    kept = [([], 0.0, 0)]
    for _ in range(max_length):
        open_ones = [k for k in kept if not k[0] or k[0][-1] != eos_id]
        logits, state = step(torch.tensor([k[0][-1] if k[0] else bos_id for k in open_ones]), state)
        log_probs = logits.log_softmax(-1).tolist()
        candidates = [k for k in kept if k[0] and k[0][-1] == eos_id]
        for i, (tokens, total, _) in enumerate(open_ones):
            candidates += [(tokens + [v], total + lp, i) for v, lp in enumerate(log_probs[i])]
        kept = sorted(candidates, key=normalised, reverse=True)[:beam_size]
        if kept[0][0][-1] == eos_id:
            break  # the best one is complete
        state = select(state, torch.tensor([i for tokens, _, i in kept if tokens[-1] != eos_id]))
    return torch.tensor(kept[0][0]), normalised(kept[0])


# %% correct: objects that each carry their own row of the state

def map_tensors(function, *states):
    """function of the tensors that stand at the same place in each of the states."""
    first = states[0]
    if isinstance(first, Tensor):
        return function(*states)
    if isinstance(first, dict):
        return {key: map_tensors(function, *(s[key] for s in states)) for key in first}
    if isinstance(first, (tuple, list)):
        parts = [map_tensors(function, *group) for group in zip(*states, strict=True)]
        return type(first)._make(parts) if hasattr(first, "_make") else type(first)(parts)
    return first


class Beginning:
    """What one hypothesis has written, and the one row of the state that goes with it."""

    def __init__(self, tokens, total, state, finished):
        self.tokens, self.total, self.state, self.finished = tokens, total, state, finished

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
    if not beam_size >= 1:
        raise ValueError(f"beam_size is {beam_size}")
    if not max_length >= 1:
        raise ValueError(f"max_length is {max_length}")
    devices = []
    map_tensors(lambda t: devices.append(t.device), state)
    device = devices[0] if devices else torch.device("cpu")

    def continued(open_ones):
        last = [one.tokens[-1] if one.tokens else bos_id for one in open_ones]
        together = map_tensors(lambda *rows: torch.cat(rows), *(one.state for one in open_ones))
        logits, after = step(torch.tensor(last, device=device), together)
        log_probs = logits.double().log_softmax(-1).tolist()
        for row, one in enumerate(open_ones):
            own = map_tensors(lambda t, row=row: t[row : row + 1], after)
            for token, value in enumerate(log_probs[row]):
                yield Beginning((*one.tokens, token), one.total + value, own, token == eos_id)

    kept = [Beginning((), 0.0, state, False)]
    written = 0
    while written < max_length and not all(one.finished for one in kept):
        rivals = [one for one in kept if one.finished]
        rivals.extend(continued([one for one in kept if not one.finished]))
        rivals.sort(key=lambda one: -one.score(length_penalty))
        del rivals[beam_size:]
        kept = rivals
        written += 1
    return torch.tensor(kept[0].tokens, dtype=torch.int64, device=device), float(kept[0].score(length_penalty))


# %% correct: recursion over flat tensors of scores

def rows_of_state(state, rows):
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, dict):
        return {name: rows_of_state(value, rows) for name, value in state.items()}
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*(rows_of_state(part, rows) for part in state))
    if isinstance(state, (tuple, list)):
        return type(state)([rows_of_state(part, rows) for part in state])
    return state


def device_of_state(state):
    if isinstance(state, Tensor):
        return state.device
    parts = state.values() if isinstance(state, dict) else state if isinstance(state, (tuple, list)) else ()
    return next((d for d in map(device_of_state, parts) if d is not None), None)


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
    device = device_of_state(state) or torch.device("cpu")

    def search(words, sums, state, ended, ended_sums):
        # words (N, t) and sums (N,) of the open hypotheses; ended: a list of tensors, ended_sums a list of floats
        t = words.shape[1] - 1
        if t == max_length or words.shape[0] == 0:
            tokens = ended + list(words[:, 1:])
            totals = ended_sums + sums.tolist()
            scores = [s / x.numel() ** length_penalty for s, x in zip(totals, tokens, strict=True)]
            best = max(range(len(scores)), key=scores.__getitem__)
            return tokens[best].clone(), scores[best]
        logits, state = step(words[:, -1].clone(), state)
        new = sums[:, None] + torch.log_softmax(logits.double(), dim=-1).to(device)
        vocabulary = new.shape[1]
        old_scores = torch.tensor(
            [s / x.numel() ** length_penalty for s, x in zip(ended_sums, ended, strict=True)],
            dtype=torch.float64,
            device=device,
        )
        scores = torch.cat([old_scores, new.flatten() / (t + 1) ** length_penalty])
        chosen = scores.argsort(descending=True, stable=True)[:beam_size]
        old = chosen[chosen < len(ended)].tolist()
        places = chosen[chosen >= len(ended)] - len(ended)
        parents, token = places // vocabulary, places % vocabulary
        grown, totals = torch.cat([words[parents], token[:, None]], dim=1), new.flatten()[places]
        closed = token == eos_id
        return search(
            grown[~closed],
            totals[~closed],
            rows_of_state(state, parents[~closed]),
            [ended[i] for i in old] + list(grown[closed][:, 1:]),
            [ended_sums[i] for i in old] + totals[closed].tolist(),
        )

    start = torch.full((1, 1), bos_id, dtype=torch.int64, device=device)
    return search(start, torch.zeros(1, dtype=torch.float64, device=device), state, [], [])
