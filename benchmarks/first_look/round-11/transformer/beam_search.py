# %% wrong: the beam begins with beam_size copies of the same beginning
# All copies have the score 0, so the first choice takes the same best token from each of them and the beam
# is greedy decoding, beam_size times. Shows where the best sentence does not begin with the best token.

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
        raise ValueError(f"need beam_size and max_length of at least 1, got {beam_size}, {max_length}")

    def rows_of(s, index):
        return tuple(part[index] for part in s) if isinstance(s, tuple) else s[index]

    first = state[0] if isinstance(state, tuple) else state
    device = first.device
    state = rows_of(state, torch.zeros(beam_size, dtype=torch.long, device=device))
    last = torch.full((beam_size,), bos_id, device=device)
    hypotheses = [([], 0.0, False)] * beam_size
    for _ in range(max_length):
        logits, state = step(last, state)
        log_probs = logits.log_softmax(dim=-1).tolist()
        candidates = []
        for row, (tokens, total, ended) in enumerate(hypotheses):
            if ended:
                candidates.append((tokens, total, True, row))
                continue
            for v, log_prob in enumerate(log_probs[row]):
                candidates.append(([*tokens, v], total + log_prob, v == eos_id, row))
        candidates.sort(key=lambda c: c[1] / len(c[0]) ** length_penalty, reverse=True)
        candidates = candidates[:beam_size]
        hypotheses = [c[:3] for c in candidates]
        if all(ended for _, _, ended in hypotheses):
            break
        state = rows_of(state, torch.tensor([c[3] for c in candidates], device=device))
        last = torch.tensor([tokens[-1] for tokens, _, _ in hypotheses], device=device)
    tokens, total, _ = hypotheses[0]
    return torch.tensor(tokens, device=device), total / len(tokens) ** length_penalty


# %% wrong: finished hypotheses grow older with the others
# Every sum is divided by the step's number to the power, also those of sentences that ended long ago: with a
# length penalty their scores, negative, creep up to 0 and they win. Right with length_penalty 0.

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
    is_tuple = isinstance(state, tuple)
    device = (state[0] if is_tuple else state).device
    last = torch.tensor([bos_id], device=device)
    sums = torch.zeros(1, dtype=torch.float64, device=device)
    written = torch.zeros(1, 0, dtype=torch.long, device=device)
    done = torch.zeros(1, dtype=torch.bool, device=device)
    for length in range(1, max_length + 1):
        logits, state = step(last, state)
        log_probs = logits.double().log_softmax(dim=-1)
        V = log_probs.shape[1]
        # a finished row may only go on with eos, for nothing
        log_probs[done] = float("-inf")
        log_probs[done, eos_id] = 0.0
        totals = (sums.unsqueeze(1) + log_probs).flatten()
        allowed = (~done).unsqueeze(1).expand(-1, V).clone()
        allowed[:, eos_id] = True
        places = allowed.flatten().nonzero().squeeze(1)
        scores = totals[places] / length**length_penalty
        best = scores.topk(min(beam_size, len(places))).indices
        parents, tokens = places[best] // V, places[best] % V
        sums = totals[places[best]]
        written = torch.cat([written[parents], tokens.unsqueeze(1)], dim=1)
        done = done[parents] | (tokens == eos_id)
        state = tuple(s[parents] for s in state) if is_tuple else state[parents]
        last = tokens
        if done.all():
            break
    tokens = written[0]
    if done[0]:
        end = (tokens == eos_id).nonzero()[0].item()
        tokens = tokens[: end + 1]
    return tokens, (sums[0] / length**length_penalty).item()


# %% wrong: stops when the best one is finished
# "The others can only get worse", true of sums; divided by a power of the length, a score can rise again. With
# length_penalty 1 an unfinished hypothesis of the beam that would overtake the best is given up.

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
        raise ValueError(f"beam_size {beam_size} or max_length {max_length} is below 1")

    def pick(rows):
        index = torch.tensor(rows, device=device)
        return tuple(s.index_select(0, index) for s in state) if isinstance(state, tuple) else state.index_select(0, index)

    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [((), 0.0)]

    def score(hypothesis):
        return hypothesis[1] / len(hypothesis[0]) ** length_penalty

    def finished(hypothesis):
        return len(hypothesis[0]) > 0 and hypothesis[0][-1] == eos_id

    for _ in range(max_length):
        last = [tokens[-1] if tokens else bos_id for tokens, _ in beam]
        logits, state = step(torch.tensor(last, device=device), state)
        log_probs = F.log_softmax(logits, dim=-1).tolist()
        grown = []
        for row, hypothesis in enumerate(beam):
            if finished(hypothesis):
                grown.append((hypothesis, row))
            else:
                tokens, total = hypothesis
                grown += [((tokens + (v,), total + lp), row) for v, lp in enumerate(log_probs[row])]
        grown = sorted(grown, key=lambda pair: -score(pair[0]))[:beam_size]
        beam = [hypothesis for hypothesis, _ in grown]
        if finished(beam[0]):
            break
        state = pick([row for _, row in grown])
    return torch.tensor(beam[0][0], device=device), score(beam[0])


# %% wrong: the length penalty only at the end
# The beam is chosen by the plain sums, and only the last choice divides by the length, as some libraries do. With
# a length penalty, hypotheses are thrown away that would have been kept. Right with length_penalty 0.

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
    several = isinstance(state, tuple)
    device = state[0].device if several else state.device
    tokens, sums, ended = [[]], [0.0], [False]
    last = torch.tensor([bos_id], device=device)
    for _ in range(max_length):
        logits, state = step(last, state)
        log_probs = torch.log_softmax(logits, dim=-1).tolist()
        options = []
        for row in range(len(tokens)):
            if ended[row]:
                options.append((sums[row], row, None))
            else:
                options += [(sums[row] + lp, row, v) for v, lp in enumerate(log_probs[row])]
        options.sort(key=lambda option: option[0], reverse=True)
        options = options[:beam_size]
        tokens = [tokens[row] + ([] if v is None else [v]) for _, row, v in options]
        sums = [total for total, _, _ in options]
        ended = [v is None or v == eos_id for _, _, v in options]
        if all(ended):
            break
        rows = torch.tensor([row for _, row, _ in options], device=device)
        state = tuple(part[rows] for part in state) if several else state[rows]
        last = torch.tensor([one[-1] for one in tokens], device=device)
    scores = [total / len(one) ** length_penalty for total, one in zip(sums, tokens, strict=True)]
    best = max(range(len(scores)), key=scores.__getitem__)
    return torch.tensor(tokens[best], device=device), scores[best]


# %% correct: every hypothesis carries a state of its own

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
    from dataclasses import dataclass

    if min(beam_size, max_length) < 1:
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size} and {max_length}")

    @dataclass(frozen=True)
    class Hypothesis:
        tokens: tuple
        total: float
        state: object  # a batch of one, as it is before the next step

        @property
        def finished(self) -> bool:
            return self.tokens[-1:] == (eos_id,)

        @property
        def score(self) -> float:
            return self.total / len(self.tokens) ** length_penalty

        def grown(self):
            if self.finished:
                return [self]
            last = torch.tensor([self.tokens[-1] if self.tokens else bos_id], device=device)
            logits, after = step(last, self.state)
            return [
                Hypothesis((*self.tokens, token), self.total + log_prob, after)
                for token, log_prob in enumerate(logits[0].log_softmax(dim=0).tolist())
            ]

    device = (state[0] if isinstance(state, tuple) else state).device
    beam = [Hypothesis((), 0.0, state)]
    for _ in range(max_length):
        everyone = [one for hypothesis in beam for one in hypothesis.grown()]
        beam = heapq.nlargest(beam_size, everyone, key=lambda one: one.score)
        if all(hypothesis.finished for hypothesis in beam):
            break
    best = max(beam, key=lambda one: one.score)
    return torch.tensor(best.tokens, device=device), best.score


# %% correct: two pools as tensors, the finished and the living

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size} and {max_length}")
    parts = state if isinstance(state, tuple) else (state,)
    device = parts[0].device
    fed = torch.full((1,), bos_id, device=device)
    totals = None  # of the living
    written = torch.empty(1, 0, dtype=torch.int64, device=device)
    finished: list[tuple[float, Tensor]] = []  # scores and tokens, no longer changed by anything
    for length in range(1, max_length + 1):
        logits, new = step(fed, parts if isinstance(state, tuple) else parts[0])
        parts = new if isinstance(new, tuple) else (new,)
        log_probs = logits.log_softmax(dim=1)
        totals = log_probs if totals is None else totals.unsqueeze(1) + log_probs
        V = totals.shape[1]
        # the living come first, row by row; behind them those that wait finished
        scores = totals.flatten() / length**length_penalty
        waiting = torch.tensor([score for score, _ in finished], dtype=scores.dtype, device=device)
        order = torch.cat([scores, waiting]).argsort(descending=True)[:beam_size]
        chosen = order[order < scores.numel()]
        finished = [finished[i] for i in (order[order >= scores.numel()] - scores.numel()).tolist()]
        parents, fed = chosen.div(V, rounding_mode="floor"), chosen.remainder(V)
        written = torch.cat([written[parents], fed.unsqueeze(1)], dim=1)
        ends = fed == eos_id
        finished += [(scores[c].item(), row) for c, row in zip(chosen[ends], written[ends], strict=True)]
        alive = ~ends
        totals, written, fed = totals.flatten()[chosen[alive]], written[alive], fed[alive]
        parts = tuple(part[parents[alive]] for part in parts)
        if not len(fed):
            break
    living = (totals / length**length_penalty).tolist()
    score, tokens = max([*finished, *zip(living, written, strict=True)], key=lambda pair: pair[0])
    return tokens, score
