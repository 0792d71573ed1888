# %% wrong: probabilities multiplied
# The product of the probabilities is kept and its logarithm taken at the end: it underflows to 0 and the score to -inf
# after some dozens of tokens, such as 30 among 50 words that are equally likely (1/50 to the power 30).

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

    first = state[0] if isinstance(state, tuple) else state
    device = first.device
    beams = [([], torch.ones((), device=device), False)]  # tokens, probability, finished

    def score(beam) -> float:
        return (beam[1].log() / max(len(beam[0]), 1) ** length_penalty).item()

    for _ in range(max_length):
        live = [beam for beam in beams if not beam[2]]
        if not live:
            break
        token = torch.tensor([beam[0][-1] if beam[0] else bos_id for beam in live], device=device)
        logits, state = step(token, state)
        probabilities = torch.softmax(logits, dim=-1)
        found = [(beam, None) for beam in beams if beam[2]]
        for row, (tokens, so_far, _) in enumerate(live):
            for word in range(logits.shape[1]):
                probability = so_far * probabilities[row, word]
                found.append((([*tokens, word], probability, word == eos_id), row))
        found.sort(key=lambda one: score(one[0]), reverse=True)
        found = found[:beam_size]
        beams = [beam for beam, _ in found]
        rows = torch.tensor([row for beam, row in found if not beam[2]], dtype=torch.long, device=device)
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
    best = max(beams, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% wrong: stops when the best one is finished
# The search is to end when all that are kept are finished. With a length_penalty above 0 a hypothesis that is behind can
# overtake by growing longer: shows with length_penalty=1 where an early eos leads at first.

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

    device = (state[0] if isinstance(state, tuple) else state).device
    beams = [(0.0, 0.0, [])]  # score, sum, tokens
    for _ in range(max_length):
        live = [beam for beam in beams if not (beam[2] and beam[2][-1] == eos_id)]
        token = torch.tensor([beam[2][-1] if beam[2] else bos_id for beam in live], device=device)
        logits, state = step(token, state)
        logp = torch.log_softmax(logits, dim=-1).tolist()
        candidates = [(*beam, 0) for beam in beams if beam[2] and beam[2][-1] == eos_id]
        for row, (_, total, tokens) in enumerate(live):
            for word, more in enumerate(logp[row]):
                longer = [*tokens, word]
                candidates.append(((total + more) / len(longer) ** length_penalty, total + more, longer, row))
        candidates.sort(key=lambda one: -one[0])
        candidates = candidates[:beam_size]
        beams = [one[:3] for one in candidates]
        if beams[0][2][-1] == eos_id:
            break
        rows = torch.tensor([one[3] for one in candidates if one[2][-1] != eos_id], device=device)
        state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]
    return torch.tensor(beams[0][2], device=device), beams[0][0]


# %% wrong: all sums divided by the step's length
# A finished hypothesis is shorter than the step, but is divided by the step's length too, and so gains with every step.
# Shows with length_penalty=1 where one ends early and others go on.

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

    is_tuple = isinstance(state, tuple)
    device = (state[0] if is_tuple else state).device
    sums = torch.zeros(1, device=device)
    written = torch.zeros(1, 0, dtype=torch.int64, device=device)
    token = torch.full((1,), bos_id, device=device)
    done = torch.zeros(1, dtype=torch.bool, device=device)
    for length in range(1, max_length + 1):
        logits, state = step(token, state)
        logp = torch.log_softmax(logits, dim=-1)
        vocab = logp.shape[1]
        logp = logp.masked_fill(done.unsqueeze(1), -torch.inf)
        logp[done, eos_id] = 0  # finished: eos again, for nothing
        sums_now = (sums.unsqueeze(1) + logp).flatten()
        allowed = torch.ones_like(logp, dtype=torch.bool)
        allowed[done] = False
        allowed[done, eos_id] = True
        places = allowed.flatten().nonzero().squeeze(1)
        scores = sums_now[places] / length**length_penalty
        scores, best = scores.topk(min(beam_size, len(places)))
        rows, token = places[best] // vocab, places[best] % vocab
        sums = sums_now[places[best]]
        written = torch.cat([written[rows], token.unsqueeze(1)], dim=1)
        done = done[rows] | (token == eos_id)
        state = tuple(part[rows] for part in state) if is_tuple else state[rows]
        if done.all():
            break
    tokens = written[0].tolist()
    if eos_id in tokens:
        tokens = tokens[: tokens.index(eos_id) + 1]
    return torch.tensor(tokens, device=device), scores[0].item()


# %% wrong: the state always taken for a tuple
# A state that is one tensor is cut into its rows and each of them indexed: an error, or a state of the wrong kind for
# step. Shows for any step whose state is a tensor, with max_length above 1.

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

    beams = [([], 0.0)]
    device = state[0].device

    def score(beam) -> float:
        return beam[1] / max(len(beam[0]), 1) ** length_penalty

    def finished(beam) -> bool:
        return len(beam[0]) > 0 and beam[0][-1] == eos_id

    for _ in range(max_length):
        live = [beam for beam in beams if not finished(beam)]
        if not live:
            break
        token = torch.tensor([beam[0][-1] if beam[0] else bos_id for beam in live], device=device)
        logits, state = step(token, state)
        logp = torch.log_softmax(logits, dim=-1).tolist()
        pool = [(beam, -1) for beam in beams if finished(beam)]
        pool += [
            (([*tokens, word], total + more), row)
            for row, (tokens, total) in enumerate(live)
            for word, more in enumerate(logp[row])
        ]
        pool = sorted(pool, key=lambda one: score(one[0]), reverse=True)[:beam_size]
        beams = [beam for beam, _ in pool]
        rows = torch.tensor([row for beam, row in pool if not finished(beam)], dtype=torch.long, device=device)
        state = tuple(part[rows] for part in state)
    best = max(beams, key=score)
    return torch.tensor(best[0], device=device), score(best)


# %% correct: each hypothesis carries a state of one row

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
        raise ValueError(f"beam_size and max_length must be at least 1, got {beam_size}, {max_length}")

    device = (state[0] if isinstance(state, tuple) else state).device
    kept = [{"score": 0.0, "sum": 0.0, "tokens": (), "state": state, "open": True}]
    for _ in range(max_length):
        rivals = [one for one in kept if not one["open"]]
        for one in kept:
            if not one["open"]:
                continue
            last = one["tokens"][-1] if one["tokens"] else bos_id
            logits, after = step(torch.tensor([last], device=device), one["state"])
            for word, logarithm in enumerate(torch.log_softmax(logits[0], dim=0).tolist()):
                tokens, total = (*one["tokens"], word), one["sum"] + logarithm
                score = total / len(tokens) ** length_penalty
                rival = {"score": score, "sum": total, "tokens": tokens, "state": after, "open": word != eos_id}
                rivals.append(rival)
        kept = heapq.nlargest(beam_size, rivals, key=lambda one: one["score"])
        if not any(one["open"] for one in kept):
            break
    best = max(kept, key=lambda one: one["score"])
    return torch.tensor(best["tokens"], dtype=torch.int64, device=device), best["score"]


# %% correct: parents in a tree, and one table of candidates

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
        raise ValueError("a beam needs a size and a length of at least 1")
    as_tuple = state if isinstance(state, tuple) else (state,)
    single = not isinstance(state, tuple)
    device = as_tuple[0].device
    tree = []  # (parent in the tree or None, token) of every hypothesis that was ever kept
    nodes, sums = [None], torch.zeros(1, dtype=torch.float64, device=device)
    ended: list[tuple[float, int]] = []  # score and node of those that are finished and still in the beam
    parts = as_tuple
    last = torch.full((1,), bos_id, dtype=torch.int64, device=device)
    for length in range(1, max_length + 1):
        logits, after = step(last, parts[0] if single else parts)
        parts = (after,) if single else after
        grown = sums[:, None] + torch.log_softmax(logits, dim=1).double()
        of_ended = torch.tensor([score for score, _ in ended], dtype=torch.float64, device=device)
        table = torch.cat([of_ended, grown.flatten() / length**length_penalty])
        order = torch.argsort(table, descending=True)[:beam_size].tolist()
        before, ended, rows, nodes_now, words, sums_now = ended, [], [], [], [], []
        for place in order:
            if place < len(before):
                ended.append(before[place])
                continue
            row, word = divmod(place - len(before), logits.shape[1])
            tree.append((nodes[row], word))
            if word == eos_id:
                ended.append((table[place].item(), len(tree) - 1))
            else:
                rows.append(row)
                words.append(word)
                nodes_now.append(len(tree) - 1)
                sums_now.append(grown[row, word].item())
        nodes, sums = nodes_now, torch.tensor(sums_now, dtype=torch.float64, device=device)
        if not rows:
            break
        parts = tuple(part.index_select(0, torch.tensor(rows, device=device)) for part in parts)
        last = torch.tensor(words, dtype=torch.int64, device=device)
    found = ended + [(total / length**length_penalty, node) for total, node in zip(sums.tolist(), nodes, strict=True)]
    score, node = max(found)
    tokens = []
    while node is not None:
        node, word = tree[node]
        tokens.insert(0, word)
    return torch.tensor(tokens, dtype=torch.int64, device=device), score
