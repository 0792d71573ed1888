# %% wrong: the state is not reordered
# After the choice, the rows of the state are only cut or repeated to the right number, and do not follow their
# parents. Shows with beam_size > 1 where the second-best extends the best beginning, or ranks change.

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

    def rows(value, count):
        if isinstance(value, Tensor):
            index = torch.arange(count, device=value.device).clamp(max=value.shape[0] - 1)
            return value[index]
        if isinstance(value, (tuple, list)):
            return type(value)(rows(v, count) for v in value)
        return value

    def score(hypothesis):
        return hypothesis[1] / len(hypothesis[0]) ** length_penalty

    live, finished = [([], 0.0)], []
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live])
        logits, state = step(last, state)
        log_probs = torch.log_softmax(logits, dim=-1).tolist()
        candidates = list(finished)
        for (tokens, total), row in zip(live, log_probs, strict=True):
            candidates += [(tokens + [v], total + lp) for v, lp in enumerate(row)]
        kept = sorted(candidates, key=score, reverse=True)[:beam_size]
        finished = [h for h in kept if h[0][-1] == eos_id]
        live = [h for h in kept if h[0][-1] != eos_id]
        if not live:
            break
        state = rows(state, len(live))
    best = max(kept, key=score)
    return torch.tensor(best[0]), score(best)

# %% wrong: the length penalty only at the end
# During the search bare sums compete, and the division comes with the last choice. Shows with a
# length_penalty > 0 where a finished short hypothesis stands against longer ones.

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

    def pick(value, index):
        if isinstance(value, Tensor):
            return value[torch.tensor(index, device=value.device)]
        if isinstance(value, (tuple, list)):
            return type(value)(pick(v, index) for v in value)
        return value

    beam = [([], 0.0, 0)]
    for _ in range(max_length):
        done = [h for h in beam if h[0] and h[0][-1] == eos_id]
        live = [h for h in beam if not h[0] or h[0][-1] != eos_id]
        if not live:
            break
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _, _ in live])
        logits, state = step(last, pick(state, [row for _, _, row in live]))
        log_probs = torch.log_softmax(logits, dim=-1).tolist()
        candidates = list(done)
        for row, (tokens, total, _) in enumerate(live):
            candidates += [(tokens + [v], total + lp, row) for v, lp in enumerate(log_probs[row])]
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
    tokens, total = max(((t, s / len(t) ** length_penalty) for t, s, _ in beam), key=lambda h: h[1])
    return torch.tensor(tokens), total

# %% wrong: what is finished leaves the beam
# Finished hypotheses are set aside, their places are filled with the next unfinished ones, and the search goes
# on until beam_size are finished. Shows for beam_size > 1 where one ends early: more rows, another best.

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

    def pick(value, index):
        if isinstance(value, Tensor):
            return value[torch.tensor(index, device=value.device)]
        if isinstance(value, (tuple, list)):
            return type(value)(pick(v, index) for v in value)
        return value

    def score(tokens, total):
        return total / len(tokens) ** length_penalty

    live, finished = [([], 0.0)], []
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live])
        logits, state = step(last, state)
        log_probs = torch.log_softmax(logits, dim=-1).tolist()
        candidates = []
        for row, (tokens, total) in enumerate(live):
            candidates += [(tokens + [v], total + lp, row) for v, lp in enumerate(log_probs[row])]
        candidates.sort(key=lambda h: score(h[0], h[1]), reverse=True)
        finished += [(tokens, total) for tokens, total, _ in candidates[:beam_size] if tokens[-1] == eos_id]
        if len(finished) >= beam_size:
            live = []
            break
        candidates = [h for h in candidates if h[0][-1] != eos_id][:beam_size]
        live = [(tokens, total) for tokens, total, _ in candidates]
        state = pick(state, [row for _, _, row in candidates])
    best = max(finished + live, key=lambda h: score(*h))
    return torch.tensor(best[0]), score(*best)

# %% wrong: it stops at the first end
# The search ends as soon as the best of the kept is finished, not when all are. With a length_penalty > 0 a
# longer one still being written could have overtaken it.

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

    def pick(value, index):
        if isinstance(value, Tensor):
            return value[torch.tensor(index, device=value.device)]
        if isinstance(value, (tuple, list)):
            return type(value)(pick(v, index) for v in value)
        return value

    def score(h):
        return h[1] / len(h[0]) ** length_penalty

    beam = [([], 0.0, 0)]
    for _ in range(max_length):
        done = [h for h in beam if h[0] and h[0][-1] == eos_id]
        live = [h for h in beam if not h[0] or h[0][-1] != eos_id]
        last = torch.tensor([h[0][-1] if h[0] else bos_id for h in live])
        logits, state = step(last, pick(state, [h[2] for h in live]))
        log_probs = torch.log_softmax(logits, dim=-1).tolist()
        for row, (tokens, total, _) in enumerate(live):
            done += [(tokens + [v], total + lp, row) for v, lp in enumerate(log_probs[row])]
        beam = sorted(done, key=score, reverse=True)[:beam_size]
        if beam[0][0][-1] == eos_id:
            break
    return torch.tensor(beam[0][0]), score(beam[0])

# %% correct: every hypothesis carries a state of its own

def _leaves(value) -> list:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, (tuple, list)) else []


def _joined(values: list):
    """Many states of one row each, as one state of many rows."""
    first = values[0]
    if isinstance(first, Tensor):
        return torch.cat(values, dim=0)
    if isinstance(first, dict):
        return {key: _joined([value[key] for value in values]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(_joined(list(parts)) for parts in zip(*values, strict=True)))
    if isinstance(first, (tuple, list)):
        return type(first)(_joined(list(parts)) for parts in zip(*values, strict=True))
    return first


def _row(value, i: int):
    if isinstance(value, Tensor):
        return value[i : i + 1]
    if isinstance(value, dict):
        return {key: _row(part, i) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_row(part, i) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_row(part, i) for part in value)
    return value


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
        raise ValueError("beam_size and max_length are at least 1")
    tensors = _leaves(state)
    device = tensors[0].device if tensors else None

    def score(hypothesis: dict) -> float:
        return hypothesis["sum"] / len(hypothesis["tokens"]) ** length_penalty

    beam = [{"tokens": (), "sum": 0.0, "state": state}]
    for _ in range(max_length):
        writing = [h for h in beam if h["tokens"][-1:] != (eos_id,)]
        if not writing:
            break
        last = torch.tensor([(bos_id, *h["tokens"])[-1] for h in writing], device=device)
        logits, after = step(last, _joined([h["state"] for h in writing]))
        contenders = [h for h in beam if h["tokens"][-1:] == (eos_id,)]
        for i, hypothesis in enumerate(writing):
            mine = _row(after, i)
            for token, log_probability in enumerate(logits[i].double().log_softmax(dim=0).tolist()):
                contenders.append(
                    {
                        "tokens": (*hypothesis["tokens"], token),
                        "sum": hypothesis["sum"] + log_probability,
                        "state": mine,
                    }
                )
        beam = heapq.nlargest(beam_size, contenders, key=score)
    best = max(beam, key=score)
    return torch.tensor(best["tokens"], device=device), score(best)

# %% correct: tensors, a table of scores and one sort

def _take(value, rows: Tensor):
    if isinstance(value, Tensor):
        return value.index_select(0, rows.to(value.device))
    if isinstance(value, dict):
        return {key: _take(part, rows) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_take(part, rows) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_take(part, rows) for part in value)
    return value


def _where(value):
    if isinstance(value, Tensor):
        return value.device
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return next((device for device in map(_where, parts) if device is not None), None)


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
        raise ValueError(f"beam_size {beam_size} and max_length {max_length} have to be 1 or more")
    device = _where(state)
    live = torch.full((1, 1), bos_id, dtype=torch.int64, device=device)  # column 0 is bos_id
    live_sums = torch.zeros(1, dtype=torch.float64, device=device)
    done: list[Tensor] = []
    done_sums: list[float] = []
    for length in range(1, max_length + 1):
        logits, state = step(live[:, -1], state)
        vocabulary = logits.shape[1]
        sums = (live_sums.unsqueeze(1) + logits.double().log_softmax(dim=1)).flatten()
        old = torch.tensor(done_sums, dtype=torch.float64, device=sums.device)
        lengths = torch.tensor([len(tokens) - 1 for tokens in done], dtype=torch.float64, device=sums.device)
        scores = torch.cat([old / lengths**length_penalty, sums / length**length_penalty])
        kept = scores.argsort(descending=True, stable=True)[:beam_size]
        next_done, next_sums, rows, tokens, places = [], [], [], [], []
        for place in kept.tolist():
            new = place - len(done)
            if new < 0:
                next_done.append(done[place])
                next_sums.append(done_sums[place])
            elif new % vocabulary == eos_id:
                next_done.append(torch.cat([live[new // vocabulary], live.new_tensor([eos_id])]))
                next_sums.append(sums[new].item())
            else:
                rows.append(new // vocabulary)
                tokens.append(new % vocabulary)
                places.append(new)
        done, done_sums = next_done, next_sums
        index = torch.tensor(rows, dtype=torch.int64, device=live.device)
        live = torch.cat([live[index], torch.tensor(tokens, dtype=torch.int64, device=live.device)[:, None]], dim=1)
        live_sums = sums[torch.tensor(places, dtype=torch.int64, device=sums.device)]
        if not rows:
            break
        state = _take(state, index)
    finals = [(total / (len(tokens) - 1) ** length_penalty, tokens) for tokens, total in zip(done, done_sums, strict=True)]
    finals += [(total / (live.shape[1] - 1) ** length_penalty, tokens) for tokens, total in zip(live, live_sums.tolist(), strict=True)]
    score, tokens = max(finals, key=lambda pair: pair[0])
    return tokens[1:], score
