# %% wrong: the rows of the state stay where they are
# After the first step the rows are repeated for the hypotheses; later they are only cut to the right number, and not put
# into the order of the beginnings that were kept. A hypothesis goes on with another one's state.
# Hint: two hypotheses that are kept may both come from row 1. Which rows of the state must the next step get?

def take(state, rows: list[int]):
    if isinstance(state, Tensor):
        return state[rows]
    return tuple(take(part, rows) for part in state)


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

    def score(hypothesis):
        tokens, total = hypothesis
        return total / len(tokens) ** length_penalty

    beam, rows = [([], 0.0)], 1
    for _ in range(max_length):
        writing = [h for h in beam if not h[0] or h[0][-1] != eos_id]
        if not writing:
            break
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in writing])
        state = take(state, [i % rows for i in range(len(writing))])
        rows = len(writing)
        logits, state = step(last, state)
        log_probs = logits.log_softmax(dim=-1).tolist()
        candidates = [h for h in beam if h[0] and h[0][-1] == eos_id]
        for i, (tokens, total) in enumerate(writing):
            for token, log_prob in enumerate(log_probs[i]):
                candidates.append((tokens + [token], total + log_prob))
        candidates.sort(key=score, reverse=True)
        beam = candidates[:beam_size]
    return torch.tensor(beam[0][0]), score(beam[0])


# %% wrong: finished hypotheses put aside
# What ends with eos_id leaves the beam for a list of its own, and its place is filled: at every step beam_size unfinished
# beginnings are kept beside it. Here the finished ones stay in the beam and take up room, so that it finds other sentences.
# Hint: "Of all of them the beam_size with the highest scores are kept": who are "all of them"?

def take(state, rows: list[int]):
    if isinstance(state, Tensor):
        return state[rows]
    return tuple(take(part, rows) for part in state)


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
        raise ValueError(f"beam_size {beam_size} and max_length {max_length} must be at least 1")
    done, writing = [], [([], 0.0, 0)]
    for length in range(1, max_length + 1):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _, _ in writing])
        logits, state = step(last, state)
        log_probs = logits.log_softmax(dim=-1)
        candidates = []
        for row, (tokens, total, _) in enumerate(writing):
            for token, log_prob in enumerate(log_probs[row].tolist()):
                candidates.append((tokens + [token], total + log_prob, row))
        candidates.sort(key=lambda c: c[1], reverse=True)
        writing = []
        for tokens, total, row in candidates:
            if tokens[-1] == eos_id:
                done.append((tokens, total, row))
            else:
                writing.append((tokens, total, row))
            if len(writing) == beam_size:
                break
        if not writing or len(done) >= beam_size:
            break
        state = take(state, [row for _, _, row in writing])
    tokens, total, _ = max(done + writing, key=lambda h: h[1] / len(h[0]) ** length_penalty)
    return torch.tensor(tokens), total / len(tokens) ** length_penalty


# %% wrong: the length penalty only at the very end
# While it searches, the plain sums compete, and a long beginning is gone before its length could speak for it; only the
# last choice divides by the length. With a penalty of 0 it is right.
# Hint: what is a hypothesis' score, by the docstring, and which scores decide what is kept at every step?

def take(state, rows: list[int]):
    if isinstance(state, Tensor):
        return state[rows]
    return tuple(take(part, rows) for part in state)


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
        raise ValueError("beam_size and max_length have to be 1 or more")
    finished, writing = [], [([], 0.0)]
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in writing])
        logits, state = step(last, state)
        log_probs = logits.log_softmax(dim=-1).tolist()
        candidates = [(total, tokens, None) for tokens, total in finished]
        for row, (tokens, total) in enumerate(writing):
            candidates += [(total + log_probs[row][v], tokens + [v], row) for v in range(len(log_probs[row]))]
        best = sorted(candidates, key=lambda c: c[0], reverse=True)[:beam_size]
        finished = [(tokens, total) for total, tokens, _ in best if tokens[-1] == eos_id]
        writing = [(tokens, total) for total, tokens, _ in best if tokens[-1] != eos_id]
        if not writing:
            break
        state = take(state, [row for _, tokens, row in best if tokens[-1] != eos_id])
    scored = [(total / len(tokens) ** length_penalty, tokens) for tokens, total in finished + writing]
    score, tokens = max(scored, key=lambda s: s[0])
    return torch.tensor(tokens), score


# %% wrong: every hypothesis divided by the length of the step
# All sums are divided by the number of the step, those of hypotheses that finished long ago too: with a penalty, a
# finished one's score rises from step to step. It should stay as it was when it ended.
# Hint: how many tokens has a hypothesis that ended two steps ago? Divide by its own length.

def take(state, rows: list[int]):
    if isinstance(state, Tensor):
        return state[rows]
    return tuple(take(part, rows) for part in state)


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
    finished, writing = [], [([], 0.0)]
    for t in range(1, max_length + 1):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in writing])
        logits, state = step(last, state)
        log_probs = torch.log_softmax(logits, dim=-1)
        candidates = [(tokens, total, -1) for tokens, total in finished]
        for row, (tokens, total) in enumerate(writing):
            for token in range(log_probs.shape[1]):
                candidates.append((tokens + [token], total + log_probs[row, token].item(), row))
        kept = sorted(candidates, key=lambda c: c[1] / t**length_penalty, reverse=True)[:beam_size]
        result = kept[0][0], kept[0][1] / t**length_penalty
        finished = [(tokens, total) for tokens, total, _ in kept if tokens[-1] == eos_id]
        writing = [(tokens, total) for tokens, total, _ in kept if tokens[-1] != eos_id]
        if not writing:
            break
        state = take(state, [row for tokens, _, row in kept if tokens[-1] != eos_id])
    return torch.tensor(result[0]), result[1]


# %% wrong: logits added up instead of log-probabilities
# The step's logits go into the sums as they are. Within one row the order is the same, so a beam of one finds greedy
# decoding's tokens; between rows, and as scores, they mean nothing.
# Hint: what must be done to logits before they are logarithms of probabilities? Could a score here be above 0?

def take(state, rows: list[int]):
    if isinstance(state, Tensor):
        return state[rows]
    return tuple(take(part, rows) for part in state)


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
        raise ValueError("at least one hypothesis and one token")
    finished, writing = [], [([], 0.0)]
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in writing])
        logits, state = step(last, state)
        candidates = [(tokens, total, None) for tokens, total in finished]
        for row, (tokens, total) in enumerate(writing):
            for token, logit in enumerate(logits[row].tolist()):
                candidates.append((tokens + [token], total + logit, row))
        candidates.sort(key=lambda c: c[1] / len(c[0]) ** length_penalty, reverse=True)
        kept = candidates[:beam_size]
        finished = [(tokens, total) for tokens, total, _ in kept if tokens[-1] == eos_id]
        writing = [(tokens, total) for tokens, total, _ in kept if tokens[-1] != eos_id]
        if not writing:
            break
        state = take(state, [row for tokens, _, row in kept if tokens[-1] != eos_id])
    tokens, total, _ = kept[0]
    return torch.tensor(tokens), total / len(tokens) ** length_penalty


# %% correct: hypotheses as objects, sorted in Python

class Hypothesis:
    def __init__(self, tokens: tuple, log_prob: float, row: int | None):
        self.tokens, self.log_prob, self.row = tokens, log_prob, row

    def score(self, length_penalty: float) -> float:
        return self.log_prob / len(self.tokens) ** length_penalty


def chosen_rows(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, (tuple, list)):
        return tuple(chosen_rows(part, rows) for part in state)
    return state


def device_of(state):
    if isinstance(state, Tensor):
        return state.device
    if isinstance(state, (tuple, list)):
        return next((device for device in map(device_of, state) if device is not None), None)
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
        raise ValueError(f"beam_size ({beam_size}) and max_length ({max_length}) must be at least 1")
    device = device_of(state)
    finished, writing = [], [Hypothesis((), 0.0, 0)]
    kept = []
    while writing and (not kept or len(writing[0].tokens) < max_length):
        newest = [h.tokens[-1] if h.tokens else bos_id for h in writing]
        logits, state = step(torch.tensor(newest, device=device), state)
        log_probs = torch.log_softmax(logits.double(), dim=-1).tolist()
        candidates = list(finished)
        for row, h in enumerate(writing):
            for token, log_prob in enumerate(log_probs[row]):
                candidates.append(Hypothesis((*h.tokens, token), h.log_prob + log_prob, row))
        kept = sorted(candidates, key=lambda h: h.score(length_penalty), reverse=True)[:beam_size]
        finished = [h for h in kept if h.tokens[-1] == eos_id]
        writing = [h for h in kept if h.tokens[-1] != eos_id]
        if writing:
            state = chosen_rows(state, torch.tensor([h.row for h in writing]))
    best = kept[0]
    return torch.tensor(best.tokens, device=device), best.score(length_penalty)


# %% correct: tensors and a stable sort over rows times words

def rows_of(state, rows: Tensor):
    if torch.is_tensor(state):
        return state[rows.to(state.device)]
    if isinstance(state, tuple | list):
        return tuple(rows_of(part, rows) for part in state)
    return state


def tensors_of(state) -> list[Tensor]:
    if torch.is_tensor(state):
        return [state]
    if isinstance(state, tuple | list):
        return [tensor for part in state for tensor in tensors_of(part)]
    return []


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
    tensors = tensors_of(state)
    device = tensors[0].device if tensors else None
    written = torch.empty(1, 0, dtype=torch.int64, device=device)  # (n, t), what is still being written
    sums = torch.zeros(1, dtype=torch.float64, device=device)
    done = []  # pairs of score and tokens
    for t in range(1, max_length + 1):
        last = written[:, -1] if t > 1 else torch.tensor([bos_id], device=device)
        logits, state = step(last, state)
        longer = sums.unsqueeze(1) + logits.to(torch.float64).log_softmax(dim=1)  # (n, V)
        vocabulary = longer.shape[1]
        scores = (longer / t**length_penalty).flatten()
        earlier = torch.tensor([score for score, _ in done], dtype=torch.float64, device=device)
        order = torch.cat([earlier, scores]).argsort(descending=True, stable=True)[:beam_size]
        still_done, parents, words = [], [], []
        for place in order.tolist():
            if place < len(done):
                still_done.append(done[place])
                continue
            parent, word = divmod(place - len(done), vocabulary)
            if word == eos_id:
                whole = torch.cat([written[parent], written.new_tensor([word])])
                still_done.append((scores[place - len(done)].item(), whole))
            else:
                parents.append(parent)
                words.append(word)
        done = still_done
        rows = torch.tensor(parents, dtype=torch.int64, device=device)
        added = torch.tensor(words, dtype=torch.int64, device=device)
        sums = longer[rows, added]
        written = torch.cat([written[rows], added.unsqueeze(1)], dim=1)
        if not parents:
            break
        state = rows_of(state, rows)
    unfinished = (sums / written.shape[1] ** length_penalty).tolist()
    score, tokens = max([*done, *zip(unfinished, written, strict=True)], key=lambda pair: pair[0])
    return tokens, score
