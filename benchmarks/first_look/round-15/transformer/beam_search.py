# %% wrong: the length penalty comes at the end
# Beams are pruned by the sum of log-probabilities alone, and only the last ones are divided by the power of their length. The score that decides what is kept has the division in it: with a penalty above
# 0, finished short hypotheses push out longer ones that would have won.

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

    def rows_of(state, rows):
        return tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]

    device = (state[0] if isinstance(state, tuple) else state).device
    live, done = [([bos_id], 0.0)], []
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] for tokens, _ in live], device=device)
        logits, state = step(last, state)
        log_p = F.log_softmax(logits.double(), dim=-1).tolist()
        pool = [(tokens, total, -1) for tokens, total in done]
        for row, (tokens, total) in enumerate(live):
            pool += [(tokens + [v], total + lp, row) for v, lp in enumerate(log_p[row])]
        pool = sorted(pool, key=lambda entry: -entry[1])[:beam_size]
        done = [(tokens, total) for tokens, total, row in pool if row < 0 or tokens[-1] == eos_id]
        kept = [entry for entry in pool if entry[2] >= 0 and entry[0][-1] != eos_id]
        live = [(tokens, total) for tokens, total, _ in kept]
        if not live:
            break
        state = rows_of(state, torch.tensor([row for *_, row in kept], device=device))
    scored = [(total / (len(tokens) - 1) ** length_penalty, tokens[1:]) for tokens, total in done + live]
    score, tokens = max(scored, key=lambda entry: entry[0])
    return torch.tensor(tokens, device=device), float(score)

# %% wrong: the finished are put aside, and the beam stays full
# A finished hypothesis leaves the beam and another moves up in its place: beam_size unfinished ones are kept at every step, and the best of all is returned at the end. Those that are kept should be
# beam_size together, finished or not: with a beam of 1 the search goes on past the eos of greedy decoding.

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
    live, finished = [([], 0.0)], []

    def score(hypothesis):
        tokens, total = hypothesis
        return total / len(tokens) ** length_penalty

    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live], device=device)
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits.double(), dim=-1).tolist()
        longer = []
        for row, (tokens, total) in enumerate(live):
            for token, lp in enumerate(log_p[row]):
                hypothesis = (tokens + [token], total + lp)
                if token == eos_id:
                    finished.append(hypothesis)
                else:
                    longer.append((hypothesis, row))
        longer.sort(key=lambda entry: score(entry[0]), reverse=True)
        longer = longer[:beam_size]
        live = [hypothesis for hypothesis, _ in longer]
        if not live:
            break
        rows = torch.tensor([row for _, row in longer], device=device)
        state = tuple(s[rows] for s in state) if isinstance(state, tuple) else state[rows]
    best = max(finished + live, key=score)
    return torch.tensor(best[0], device=device), float(score(best))

# %% wrong: a hypothesis is finished if its last token is eos_id, the first one too
# The token before the first is bos_id. Where bos_id equals eos_id the empty beginning counts as finished: nothing is written and the score is 0. Right for all other
# ids.

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
    pick = lambda s, rows: tuple(part[rows] for part in s) if isinstance(s, tuple) else s[rows]  # noqa: E731
    device = (state[0] if isinstance(state, tuple) else state).device
    beams = [([bos_id], 0.0, 0)]  # tokens, sum, row of the state
    finished = lambda beam: beam[0][-1] == eos_id  # noqa: E731
    score = lambda beam: beam[1] / max(len(beam[0]) - 1, 1) ** length_penalty  # noqa: E731
    while not all(finished(beam) for beam in beams) and len(max(beams, key=lambda b: len(b[0]))[0]) <= max_length:
        open_beams = [beam for beam in beams if not finished(beam)]
        state = pick(state, torch.tensor([beam[2] for beam in open_beams], device=device))
        last = torch.tensor([beam[0][-1] for beam in open_beams], device=device)
        logits, state = step(last, state)
        log_p = F.log_softmax(logits.double(), dim=1)
        pool = [beam for beam in beams if finished(beam)]
        for row, (tokens, total, _) in enumerate(open_beams):
            pool += [(tokens + [v], total + lp, row) for v, lp in enumerate(log_p[row].tolist())]
        beams = sorted(pool, key=score, reverse=True)[:beam_size]
    best = max(beams, key=score)
    return torch.tensor(best[0][1:], dtype=torch.int64, device=device), float(score(best))

# %% wrong: the state is always a tuple
# The rows are chosen part by part. A state that is a single tensor is taken apart along its first axis, and what comes back is a tuple of the wrong pieces, or an
# IndexError.

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
    alive = [((), 0.0)]
    finished = []

    def score(tokens, total):
        return total / len(tokens) ** length_penalty

    for _ in range(max_length):
        token = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in alive], device=device)
        logits, state = step(token, state)
        log_p = F.log_softmax(logits.double(), dim=-1)
        candidates = [(score(*hypothesis), -1, hypothesis) for hypothesis in finished]
        for row, (tokens, total) in enumerate(alive):
            for v, lp in enumerate(log_p[row].tolist()):
                hypothesis = ((*tokens, v), total + lp)
                candidates.append((score(*hypothesis), row, hypothesis))
        candidates = sorted(candidates, key=lambda c: c[0], reverse=True)[:beam_size]
        finished = [h for _, row, h in candidates if row == -1 or h[0][-1] == eos_id]
        going_on = [(row, h) for _, row, h in candidates if row != -1 and h[0][-1] != eos_id]
        alive = [h for _, h in going_on]
        if not alive:
            break
        rows = torch.tensor([row for row, _ in going_on], device=device)
        state = tuple(part[rows] for part in state)
    best = max(finished + alive, key=lambda h: score(*h))
    return torch.tensor(best[0], device=device), float(score(*best))

# %% correct: every hypothesis carries its own state of one row

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

    if beam_size < 1 or max_length < 1:
        raise ValueError(f"at least one beam and one token, got {beam_size} and {max_length}")

    def twin(state):
        return tuple(part.clone() for part in state) if isinstance(state, tuple) else state.clone()

    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [{"tokens": [], "sum": 0.0, "score": 0.0, "state": twin(state)}]

    def unfinished(hypothesis) -> bool:
        return not hypothesis["tokens"] or hypothesis["tokens"][-1] != eos_id

    for _ in range(max_length):
        if not any(map(unfinished, beam)):
            break
        candidates = []
        for hypothesis in beam:
            if not unfinished(hypothesis):
                candidates.append(hypothesis)
                continue
            before = hypothesis["tokens"][-1] if hypothesis["tokens"] else bos_id
            logits, after = step(torch.tensor([before], device=device), hypothesis["state"])
            log_p = torch.log_softmax(logits[0].double(), dim=0)
            for token, lp in enumerate(log_p.tolist()):
                tokens, total = [*hypothesis["tokens"], token], hypothesis["sum"] + lp
                score = total / len(tokens) ** length_penalty
                candidates.append({"tokens": tokens, "sum": total, "score": score, "state": after})
        beam = heapq.nlargest(beam_size, candidates, key=lambda c: c["score"])
        for hypothesis in beam:
            hypothesis["state"] = twin(hypothesis["state"])
    return torch.tensor(beam[0]["tokens"], dtype=torch.int64, device=device), float(beam[0]["score"])

# %% correct: one table of candidates, the finished rows stepped along and overwritten

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
    device = (state[0] if isinstance(state, tuple) else state).device
    last = torch.full((1,), bos_id, device=device)
    written = torch.empty(1, 0, dtype=torch.int64, device=device)
    total = torch.zeros(1, dtype=torch.float64, device=device)
    length = torch.zeros(1, dtype=torch.int64, device=device)
    done = torch.zeros(1, dtype=torch.bool, device=device)
    while True:
        logits, state = step(last, state)
        log_p = logits.double().log_softmax(dim=1)
        vocabulary = log_p.shape[1]
        sums = total.unsqueeze(1) + log_p
        lengths = (length + 1).unsqueeze(1).repeat(1, vocabulary)
        # a finished row has one heir, itself, in the column of eos_id
        sums[done, eos_id], lengths[done, eos_id] = total[done], length[done]
        scores = sums / lengths.double() ** length_penalty
        exists = ~done.unsqueeze(1).repeat(1, vocabulary)
        exists[:, eos_id] = True
        places = exists.flatten().nonzero().squeeze(1)
        best_first = places[scores.flatten()[places].argsort(descending=True, stable=True)][:beam_size]
        rows, last = best_first // vocabulary, best_first % vocabulary
        total, length = sums[rows, last], lengths[rows, last]
        written = torch.cat([written[rows], last.unsqueeze(1)], dim=1)
        done = last == eos_id
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
        if bool(done.all()) or written.shape[1] == max_length:
            count = int(length[0])
            return written[0, :count], scores.flatten()[best_first[0]].item()
