# %% wrong: all beams begin alike
# Begins with beam_size equal hypotheses and lets all of them be extended: their extensions are equal too, and the beam fills with
# copies of the best one. Shows for beam_size > 1 wherever the best sentence does not begin as the greedy one does.

@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")

    def rows(of, index):
        if isinstance(of, (tuple, list)):
            return type(of)(rows(part, index) for part in of)
        return of if of is None else of[index]

    first = state
    while isinstance(first, (tuple, list)):
        first = first[0]
    device = first.device
    state = rows(state, torch.zeros(beam_size, dtype=torch.long, device=device))
    beams = [([], 0.0) for _ in range(beam_size)]
    live, finished = beams, []
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live], device=device)
        logits, state = step(last, state)
        log_probs = logits.double().log_softmax(dim=-1)
        candidates = [(total / len(tokens) ** length_penalty, tokens, total, -1) for tokens, total in finished]
        for i, (tokens, total) in enumerate(live):
            for token, value in enumerate(log_probs[i].tolist()):
                new = total + value
                candidates.append((new / (len(tokens) + 1) ** length_penalty, [*tokens, token], new, i))
        kept = sorted(candidates, key=lambda c: -c[0])[:beam_size]
        finished = [(c[1], c[2]) for c in kept if c[1][-1] == eos_id]
        open_ones = [c for c in kept if c[1][-1] != eos_id]
        live = [(c[1], c[2]) for c in open_ones]
        if not live:
            break
        state = rows(state, torch.tensor([c[3] for c in open_ones], device=device))
    return torch.tensor(kept[0][1], device=device), kept[0][0]


# %% wrong: the penalty comes at the end only
# Within the search hypotheses compete by their bare sums, and the length divides only where the winner is chosen: the docstring's score,
# by which they are kept at every step, is divided. Shows for length_penalty > 0 where a short finished one pushes a longer one out.

@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")

    def rows(of, index):
        if isinstance(of, (tuple, list)):
            return type(of)(rows(part, index) for part in of)
        return of if of is None else of[index]

    first = state
    while isinstance(first, (tuple, list)):
        first = first[0]
    device = first.device
    live, finished = [([], 0.0)], []
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live], device=device)
        logits, state = step(last, state)
        log_probs = logits.double().log_softmax(dim=-1)
        candidates = [(total, tokens, -1) for tokens, total in finished]
        for i, (tokens, total) in enumerate(live):
            candidates += [(total + value, [*tokens, token], i) for token, value in enumerate(log_probs[i].tolist())]
        candidates.sort(key=lambda c: c[0], reverse=True)
        kept = candidates[:beam_size]
        finished = [(tokens, total) for total, tokens, i in kept if tokens[-1] == eos_id]
        going_on = [c for c in kept if c[1][-1] != eos_id]
        live = [(tokens, total) for total, tokens, _ in going_on]
        if not live:
            break
        state = rows(state, torch.tensor([i for _, _, i in going_on], device=device))
    score, best = max((total / len(tokens) ** length_penalty, tokens) for tokens, total in finished + live)
    return torch.tensor(best, device=device), score


# %% wrong: a finished one is preferred at the end
# Returns the best finished hypothesis where there is one, though an unfinished one at max_length may have the higher score; the docstring
# asks for the highest of all that are kept. Shows for beam_size > 1 where max_length cuts the leader off.

@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")

    def rows(of, index):
        if isinstance(of, (tuple, list)):
            return type(of)(rows(part, index) for part in of)
        return of if of is None else of[index]

    first = state
    while isinstance(first, (tuple, list)):
        first = first[0]
    device = first.device

    def score(tokens, total):
        return total / len(tokens) ** length_penalty

    live, finished = [([], 0.0)], []
    for _ in range(max_length):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live], device=device)
        logits, state = step(last, state)
        log_probs = logits.double().log_softmax(dim=-1)
        candidates = [(tokens, total, -1) for tokens, total in finished]
        for i, (tokens, total) in enumerate(live):
            candidates += [([*tokens, token], total + value, i) for token, value in enumerate(log_probs[i].tolist())]
        kept = sorted(candidates, key=lambda c: score(c[0], c[1]), reverse=True)[:beam_size]
        finished = [(tokens, total) for tokens, total, _ in kept if tokens[-1] == eos_id]
        going_on = [c for c in kept if c[0][-1] != eos_id]
        live = [(tokens, total) for tokens, total, _ in going_on]
        if not live:
            break
        state = rows(state, torch.tensor([i for _, _, i in going_on], device=device))
    tokens, total = max(finished or live, key=lambda c: score(*c))
    return torch.tensor(tokens, device=device), score(tokens, total)


# %% wrong: topk of more than there are
# Asks for the beam_size best of the flattened scores also where there are fewer: at the first step there are V. RuntimeError for
# beam_size > V, e.g. three tokens and a beam of four; the docstring allows every beam_size from 1.

@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be at least 1")

    def rows(of, index):
        if isinstance(of, (tuple, list)):
            return type(of)(rows(part, index) for part in of)
        return of if of is None else of[index]

    first = state
    while isinstance(first, (tuple, list)):
        first = first[0]
    device = first.device
    live, finished = [([], 0.0)], []
    for length in range(1, max_length + 1):
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _ in live], device=device)
        logits, state = step(last, state)
        totals = torch.tensor([total for _, total in live], dtype=torch.float64, device=device)
        totals = totals.unsqueeze(1) + logits.double().log_softmax(dim=-1)
        old = torch.tensor([score for _, score in finished], dtype=torch.float64, device=device)
        scores, places = torch.cat([(totals / length**length_penalty).flatten(), old]).topk(beam_size)
        beams = []
        for score, place in zip(scores.tolist(), places.tolist(), strict=True):
            if place >= totals.numel():
                beams.append((finished[place - totals.numel()][0], None, score, None))
            else:
                i, token = divmod(place, totals.shape[1])
                beams.append(([*live[i][0], token], totals[i, token].item(), score, i))
        finished = [(tokens, score) for tokens, _, score, _ in beams if tokens[-1] == eos_id]
        going_on = [beam for beam in beams if beam[0][-1] != eos_id]
        live = [(tokens, total) for tokens, total, _, _ in going_on]
        if not live:
            break
        state = rows(state, torch.tensor([beam[3] for beam in going_on], device=device))
    return torch.tensor(beams[0][0], device=device), beams[0][2]


# %% correct: every hypothesis has a state of its own
# step is called with one row for each, so that no row of a state ever has to be moved.
@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    for name, value in (("beam_size", beam_size), ("max_length", max_length)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")

    def device_of(part):
        if isinstance(part, Tensor):
            return part.device
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, (tuple, list)) else ()
        return next((found for found in map(device_of, inner) if found is not None), None)

    device = device_of(state)
    beam = [{"tokens": (), "sum": 0.0, "score": 0.0, "state": state, "done": False}]
    for length in range(1, max_length + 1):
        contest = [hypothesis for hypothesis in beam if hypothesis["done"]]
        for hypothesis in beam:
            if hypothesis["done"]:
                continue
            last = hypothesis["tokens"][-1] if hypothesis["tokens"] else bos_id
            logits, after = step(torch.tensor([last], device=device), hypothesis["state"])
            for token, log_prob in enumerate(logits[0].double().log_softmax(dim=0).tolist()):
                total = hypothesis["sum"] + log_prob
                contest.append(
                    {
                        "tokens": (*hypothesis["tokens"], token),
                        "sum": total,
                        "score": total / length**length_penalty,
                        "state": after,
                        "done": token == eos_id,
                    }
                )
        contest.sort(key=lambda hypothesis: hypothesis["score"], reverse=True)
        beam = contest[:beam_size]
        if all(hypothesis["done"] for hypothesis in beam):
            break
    return torch.tensor(beam[0]["tokens"], dtype=torch.int64, device=device), float(beam[0]["score"])


# %% correct: tensors throughout, finished rows ride along
# One table of tokens, one of sums; a finished hypothesis has a single extension, itself. The step still reads its row, and what it says is not used.
@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if min(beam_size, max_length) < 1:
        raise ValueError("beam_size and max_length are 1 at least")

    def pick(part, index):
        if isinstance(part, Tensor):
            return part.index_select(0, index)
        if isinstance(part, dict):
            return {key: pick(value, index) for key, value in part.items()}
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*(pick(value, index) for value in part))
        if isinstance(part, (tuple, list)):
            return type(part)(pick(value, index) for value in part)
        return part

    def tensors(part):
        if isinstance(part, Tensor):
            yield part
        elif isinstance(part, (dict, tuple, list)):
            for value in part.values() if isinstance(part, dict) else part:
                yield from tensors(value)

    device = next((tensor.device for tensor in tensors(state)), None)
    written = torch.empty(1, 0, dtype=torch.int64, device=device)
    lengths = torch.zeros(1, dtype=torch.int64, device=device)
    sums = torch.zeros(1, dtype=torch.float64, device=device)
    done = torch.zeros(1, dtype=torch.bool, device=device)
    last = torch.full((1,), bos_id, dtype=torch.int64, device=device)
    for _ in range(max_length):
        logits, state = step(last, state)
        extended = sums.unsqueeze(1) + logits.double().log_softmax(dim=1)
        parent, token = (~done).unsqueeze(1).expand(extended.shape).nonzero(as_tuple=True)
        still = done.nonzero().squeeze(1)
        parents = torch.cat([still, parent])
        tokens = torch.cat([torch.full_like(still, eos_id), token])
        all_sums = torch.cat([sums[still], extended[parent, token]])
        all_lengths = torch.cat([lengths[still], lengths[parent] + 1])
        scores = all_sums / all_lengths.double() ** length_penalty
        best = torch.argsort(scores, descending=True, stable=True)[:beam_size]
        parents, last, sums, lengths, scores = parents[best], tokens[best], all_sums[best], all_lengths[best], scores[best]
        written = torch.cat([written[parents], last.unsqueeze(1)], dim=1)
        done = last == eos_id
        if done.all():
            break
        state = pick(state, parents)
    return written[0, : int(lengths[0])].clone(), scores[0].item()
