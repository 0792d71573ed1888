# %% wrong: the beam starts as copies of one beginning
# beam_size rows begin with bos, all with the score 0. Their best extensions are the same, so the beam fills with copies of one hypothesis: it writes
# what greedy decoding writes, whatever beam_size is.

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
        return tuple(rows_of(part, rows) for part in state) if isinstance(state, tuple) else state[rows]

    first = state
    while isinstance(first, tuple):
        first = first[0]
    device = first.device
    state = rows_of(state, torch.zeros(beam_size, dtype=torch.long, device=device))
    beams = [([], 0.0, row) for row in range(beam_size)]  # tokens, log-probability, row of the state
    done = []
    last = [bos_id] * beam_size

    def score(hypothesis):
        return hypothesis[1] / len(hypothesis[0]) ** length_penalty

    for _ in range(max_length):
        logits, state = step(torch.tensor(last, device=device), state)
        log_p = torch.log_softmax(logits.double(), dim=1).tolist()
        pool = done + [
            ([*tokens, v], total + log_p[row][v], row) for tokens, total, row in beams for v in range(logits.shape[1])
        ]
        pool = sorted(pool, key=score, reverse=True)[:beam_size]
        done = [(tokens, total, None) for tokens, total, row in pool if tokens[-1] == eos_id]
        alive = [one for one in pool if one[0][-1] != eos_id]
        if not alive:
            break
        state = rows_of(state, torch.tensor([row for _, _, row in alive], device=device))
        beams = [(tokens, total, row) for row, (tokens, total, _) in enumerate(alive)]
        last = [tokens[-1] for tokens, _, _ in beams]
    best = max(pool, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% wrong: one length for all
# Every score is divided by the number of the present step. A hypothesis that has finished keeps its own length by the docstring; here its score
# grows with each further step while it waits (length_penalty > 0, and one that ends earlier than the others).

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
        raise ValueError(f"beam_size {beam_size}, max_length {max_length}: both must be 1 or more")

    def pick(state, rows):
        return tuple(pick(part, rows) for part in state) if isinstance(state, tuple) else state.index_select(0, rows)

    one = state
    while isinstance(one, tuple):
        one = one[0]
    device = one.device
    alive, finished = [((), 0.0)], []
    last = torch.tensor([bos_id], device=device)
    for t in range(1, max_length + 1):
        logits, state = step(last, state)
        log_p = torch.log_softmax(logits.double(), dim=1)
        found = [(tokens, total, None) for tokens, total in finished]
        for row, (tokens, total) in enumerate(alive):
            found += [((*tokens, v), total + p, row) for v, p in enumerate(log_p[row].tolist())]
        found.sort(key=lambda entry: entry[1] / t**length_penalty, reverse=True)
        found = found[:beam_size]
        finished = [(tokens, total) for tokens, total, _ in found if tokens[-1] == eos_id]
        going = [entry for entry in found if entry[0][-1] != eos_id]
        alive = [(tokens, total) for tokens, total, _ in going]
        if not alive:
            break
        state = pick(state, torch.tensor([row for _, _, row in going], device=device))
        last = torch.tensor([tokens[-1] for tokens, _ in alive], device=device)
    tokens, total, _ = found[0]
    return torch.tensor(tokens, device=device), total / t**length_penalty


# %% wrong: finished sentences go before unfinished ones
# At the end the best finished hypothesis is taken where there is one. The docstring compares all by score, finished or not: where max_length ends
# the search and an unfinished one has the higher score, that is the one to return.

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

    def select(state, rows):
        if isinstance(state, tuple):
            return tuple(select(part, rows) for part in state)
        return state[rows]

    def device_of(state):
        return device_of(state[0]) if isinstance(state, tuple) else state.device

    device = device_of(state)
    beam = [{"tokens": [], "sum": 0.0, "row": 0, "done": False}]

    def score(one: dict) -> float:
        return one["sum"] / len(one["tokens"]) ** length_penalty

    for _ in range(max_length):
        open_ones = [one for one in beam if not one["done"]]
        if not open_ones:
            break
        state = select(state, torch.tensor([one["row"] for one in open_ones], device=device))
        last = torch.tensor([one["tokens"][-1] if one["tokens"] else bos_id for one in open_ones], device=device)
        logits, state = step(last, state)
        log_p = logits.double().log_softmax(dim=1).tolist()
        new = [one for one in beam if one["done"]]
        for row, one in enumerate(open_ones):
            for v, p in enumerate(log_p[row]):
                new.append({"tokens": [*one["tokens"], v], "sum": one["sum"] + p, "row": row, "done": v == eos_id})
        beam = sorted(new, key=score, reverse=True)[:beam_size]
    ended = [one for one in beam if one["done"]]
    best = max(ended or beam, key=score)
    return torch.tensor(best["tokens"], device=device), score(best)


# %% wrong: a sentence ends where it begins
# Whether a hypothesis is finished is read off its last token, bos_id included. Where bos_id equals eos_id the search is over before the first
# step, and returns no tokens.

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

    def rows_of(state, rows):
        return tuple(rows_of(part, rows) for part in state) if isinstance(state, tuple) else state[rows]

    first = state
    while isinstance(first, tuple):
        first = first[0]
    device = first.device
    beam = [([bos_id], 0.0, 0)]  # bos_id, then the tokens; their log-probability; their row

    def score(hypothesis) -> float:
        tokens, total, _ = hypothesis
        return total / max(len(tokens) - 1, 1) ** length_penalty

    def finished(hypothesis) -> bool:
        return hypothesis[0][-1] == eos_id

    for _ in range(max_length):
        if all(map(finished, beam)):
            break
        alive = [one for one in beam if not finished(one)]
        rows = torch.tensor([row for _, _, row in alive], device=device)
        tokens = torch.tensor([one[0][-1] for one in alive], device=device)
        logits, state = step(tokens, rows_of(state, rows))
        log_p = torch.log_softmax(logits.double(), dim=1).tolist()
        candidates = [one for one in beam if finished(one)]
        for row, (so_far, total, _) in enumerate(alive):
            candidates += [([*so_far, v], total + p, row) for v, p in enumerate(log_p[row])]
        beam = sorted(candidates, key=score, reverse=True)[:beam_size]
    best = max(beam, key=score)
    return torch.tensor(best[0][1:], dtype=torch.int64, device=device), score(best)


# %% correct: every hypothesis with a state of its own
import heapq


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
        raise ValueError(f"beam_size and max_length must be 1 or more, got {beam_size} and {max_length}")

    def copied(state):
        return tuple(map(copied, state)) if isinstance(state, tuple) else state.clone()

    def device_of(state):
        return device_of(state[0]) if isinstance(state, tuple) else state.device

    class Hypothesis:
        def __init__(self, tokens: tuple[int, ...], total: float, state):
            self.tokens, self.total, self.state = tokens, total, state
            self.finished = bool(tokens) and tokens[-1] == eos_id
            self.score = total / len(tokens) ** length_penalty if tokens else 0.0

        def extended(self) -> list["Hypothesis"]:
            if self.finished:
                return [self]
            last = torch.tensor([self.tokens[-1] if self.tokens else bos_id], device=device)
            logits, after = step(last, copied(self.state))
            chances = torch.log_softmax(logits[0].to(torch.float64), dim=0).tolist()
            return [Hypothesis((*self.tokens, v), self.total + chance, after) for v, chance in enumerate(chances)]

    device = device_of(state)
    beam = [Hypothesis((), 0.0, state)]
    for _ in range(max_length):
        offered = [new for one in beam for new in one.extended()]
        beam = heapq.nlargest(beam_size, offered, key=lambda one: one.score)
        if all(one.finished for one in beam):
            break
    return torch.tensor(beam[0].tokens, dtype=torch.int64, device=device), float(beam[0].score)


# %% correct: tables of tokens, finished rows with only one way on

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
        raise ValueError(f"beam_size is {beam_size}")
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}")

    def rows_of(state, rows: Tensor):
        return tuple(rows_of(part, rows) for part in state) if isinstance(state, tuple) else state.index_select(0, rows)

    leaf = state
    while isinstance(leaf, tuple):
        leaf = leaf[0]
    device = leaf.device
    written = torch.full((1, 1), bos_id, dtype=torch.int64, device=device)
    totals = torch.zeros(1, dtype=torch.float64, device=device)
    ends = torch.zeros(1, dtype=torch.int64, device=device)  # the length of a finished one, 0 before
    for t in range(1, max_length + 1):
        logits, state = step(written[:, -1], state)
        new = torch.log_softmax(logits.double(), dim=1) + totals[:, None]  # (rows, V)
        done = ends > 0
        # a finished row goes on in one way, at no cost: it repeats eos_id, which is cut off later
        possible = torch.ones_like(new, dtype=torch.bool)
        possible[done] = False
        possible[done, eos_id] = True
        new[done] = totals[done, None]
        lengths = torch.where(done, ends, t).to(new.dtype)[:, None]
        scores = new / lengths**length_penalty
        row, token = possible.nonzero(as_tuple=True)
        kept = scores[row, token].argsort(descending=True, stable=True)[:beam_size]
        row, token = row[kept], token[kept]
        totals, scores = new[row, token], scores[row, token]
        ends = torch.where(done[row], ends[row], torch.where(token == eos_id, t, 0))
        written = torch.cat([written[row], token[:, None]], dim=1)
        state = rows_of(state, row)
        if (ends > 0).all():
            break
    length = int(ends[0]) or t
    return written[0, 1 : 1 + length], scores[0].item()
