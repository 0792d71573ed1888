# %% wrong: more is asked of topk than there is
# At the first step there is one hypothesis with V continuations, and topk raises where beam_size is above V.
# Shows for a beam_size larger than the number of candidates, such as 5 with a vocabulary of 4.

def state_rows(state, rows: Tensor):
    """The rows of every tensor in the state, whatever tuples it is nested in."""
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, (tuple, list)):
        return type(state)(state_rows(part, rows) for part in state)
    return state


def device_of(state) -> torch.device:
    if isinstance(state, Tensor):
        return state.device
    for part in state if isinstance(state, (tuple, list)) else ():
        if isinstance(part, (Tensor, tuple, list)):
            return device_of(part)
    return torch.device("cpu")


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
    device = device_of(state)
    beams = [([], 0.0, False)]  # tokens, sum of log-probabilities, finished
    for _ in range(max_length):
        running = [beam for beam in beams if not beam[2]]
        if not running:
            break
        last = torch.tensor([tokens[-1] if tokens else bos_id for tokens, _, _ in running], device=device)
        logits, state = step(last, state)
        log_probs = torch.log_softmax(logits.double(), dim=-1)
        vocab_size = log_probs.shape[1]
        sums = log_probs + torch.tensor([total for _, total, _ in running], device=device, dtype=torch.float64)[:, None]
        scores = sums.flatten() / (len(running[0][0]) + 1) ** length_penalty
        best = scores.topk(beam_size).indices.tolist()
        candidates = [(beam, None) for beam in beams if beam[2]]
        for index in best:
            row, token = divmod(index, vocab_size)
            extended = (running[row][0] + [token], sums[row, token].item(), token == eos_id)
            candidates.append((extended, row))
        candidates.sort(key=lambda c: c[0][1] / len(c[0][0]) ** length_penalty, reverse=True)
        candidates = candidates[:beam_size]
        beams = [beam for beam, _ in candidates]
        rows = [row for beam, row in candidates if not beam[2]]
        state = state_rows(state, torch.tensor(rows, dtype=torch.int64, device=device))
    tokens, total, _ = beams[0]
    return torch.tensor(tokens, device=device), total / len(tokens) ** length_penalty


# %% wrong: the length penalty only at the end
# The beam keeps the highest sums of log-probabilities and divides by the length when it chooses among the last ones.
# Shows with length_penalty above 0, where a finished short one pushes a longer one out that has the better score.

def state_rows(state, rows: Tensor):
    """The rows of every tensor in the state, whatever tuples it is nested in."""
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, (tuple, list)):
        return type(state)(state_rows(part, rows) for part in state)
    return state


def device_of(state) -> torch.device:
    if isinstance(state, Tensor):
        return state.device
    for part in state if isinstance(state, (tuple, list)) else ():
        if isinstance(part, (Tensor, tuple, list)):
            return device_of(part)
    return torch.device("cpu")


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
    device = device_of(state)
    beams = [(0.0, [])]
    for _ in range(max_length):
        running = [beam for beam in beams if not beam[1] or beam[1][-1] != eos_id]
        if not running:
            break
        token = torch.tensor([tokens[-1] if tokens else bos_id for _, tokens in running], device=device)
        logits, state = step(token, state)
        log_probs = F.log_softmax(logits.double(), dim=-1).tolist()
        candidates = [(total, tokens, -1) for total, tokens in beams if tokens and tokens[-1] == eos_id]
        for row, (total, tokens) in enumerate(running):
            for word, log_prob in enumerate(log_probs[row]):
                candidates.append((total + log_prob, [*tokens, word], row))
        candidates.sort(key=lambda candidate: -candidate[0])
        kept = candidates[:beam_size]
        beams = [(total, tokens) for total, tokens, _ in kept]
        rows = [row for _, tokens, row in kept if tokens[-1] != eos_id]
        state = state_rows(state, torch.tensor(rows, dtype=torch.int64, device=device))
    score, tokens = max(((total / len(tokens) ** length_penalty, tokens) for total, tokens in beams), key=lambda b: b[0])
    return torch.tensor(tokens, device=device), score


# %% wrong: places in the beam taken for rows of the state
# The state has rows for the unfinished alone, but it is indexed with a hypothesis' place among all that are kept.
# Shows once a finished hypothesis ranks before an unfinished one: another's row, or an IndexError.

def state_rows(state, rows: Tensor):
    """The rows of every tensor in the state, whatever tuples it is nested in."""
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, (tuple, list)):
        return type(state)(state_rows(part, rows) for part in state)
    return state


def device_of(state) -> torch.device:
    if isinstance(state, Tensor):
        return state.device
    for part in state if isinstance(state, (tuple, list)) else ():
        if isinstance(part, (Tensor, tuple, list)):
            return device_of(part)
    return torch.device("cpu")


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
    device = device_of(state)
    beams = [{"tokens": [], "total": 0.0, "done": False}]
    for length in range(1, max_length + 1):
        running = [beam for beam in beams if not beam["done"]]
        if not running:
            break
        last = [beam["tokens"][-1] if beam["tokens"] else bos_id for beam in running]
        logits, state = step(torch.tensor(last, device=device), state)
        log_probs = iter(torch.log_softmax(logits.double(), dim=-1).tolist())
        candidates = []
        for place, beam in enumerate(beams):
            if beam["done"]:
                candidates.append(beam)
                continue
            for token, log_prob in enumerate(next(log_probs)):
                total = beam["total"] + log_prob
                candidates.append(
                    {
                        "tokens": beam["tokens"] + [token],
                        "total": total,
                        "score": total / length**length_penalty,
                        "done": token == eos_id,
                        "parent": place,
                    }
                )
        candidates.sort(key=lambda beam: beam["score"], reverse=True)
        beams = candidates[:beam_size]
        parents = [beam["parent"] for beam in beams if not beam["done"]]
        state = state_rows(state, torch.tensor(parents, dtype=torch.int64, device=device))
    return torch.tensor(beams[0]["tokens"], device=device), beams[0]["score"]


# %% wrong: a finished one is preferred at the end
# Returns the best of the finished hypotheses where there is one, even if an unfinished one has a higher score.
# Shows where the search ends at max_length and the best hypothesis has not written eos_id yet.

def state_rows(state, rows: Tensor):
    """The rows of every tensor in the state, whatever tuples it is nested in."""
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if isinstance(state, (tuple, list)):
        return type(state)(state_rows(part, rows) for part in state)
    return state


def device_of(state) -> torch.device:
    if isinstance(state, Tensor):
        return state.device
    for part in state if isinstance(state, (tuple, list)) else ():
        if isinstance(part, (Tensor, tuple, list)):
            return device_of(part)
    return torch.device("cpu")


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
    device = device_of(state)
    finished, running = [], [(0.0, 0.0, [])]  # score, sum, tokens
    for length in range(1, max_length + 1):
        token = torch.tensor([tokens[-1] if tokens else bos_id for _, _, tokens in running], device=device)
        logits, state = step(token, state)
        candidates = [(*hypothesis, -1) for hypothesis in finished]
        for row, log_probs in enumerate(torch.log_softmax(logits.double(), dim=-1).tolist()):
            _, total, tokens = running[row]
            for word, log_prob in enumerate(log_probs):
                candidates.append(((total + log_prob) / length**length_penalty, total + log_prob, tokens + [word], row))
        candidates = sorted(candidates, key=lambda c: c[0], reverse=True)[:beam_size]
        finished = [c[:3] for c in candidates if c[2][-1] == eos_id]
        running = [c[:3] for c in candidates if c[2][-1] != eos_id]
        if not running:
            break
        rows = [c[3] for c in candidates if c[2][-1] != eos_id]
        state = state_rows(state, torch.tensor(rows, device=device))
    score, _, tokens = (finished or running)[0]
    return torch.tensor(tokens, device=device), score


# %% correct: every hypothesis carries a state of its own

from heapq import nlargest


def each_tensor(function, *states):
    """function of the tensors that stand at the same place in each of the states."""
    first = states[0]
    if isinstance(first, Tensor):
        return function(*states) if first.ndim else first
    if isinstance(first, dict):
        return {key: each_tensor(function, *(state[key] for state in states)) for key in first}
    if isinstance(first, (tuple, list)):
        parts = [each_tensor(function, *parts) for parts in zip(*states, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return first


class Hypothesis:
    def __init__(self, tokens: list[int], total: float, state, done: bool, penalty: float):
        self.tokens, self.total, self.state, self.done = tokens, total, state, done
        self.score = total / len(tokens) ** penalty if tokens else 0.0


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
    devices = [torch.device("cpu")]
    each_tensor(lambda tensor: devices.append(tensor.device), state)
    kept = [Hypothesis([], 0.0, state, False, length_penalty)]
    for _ in range(max_length):
        writing = [hypothesis for hypothesis in kept if not hypothesis.done]
        if not writing:
            break
        last = torch.tensor([([bos_id] + hypothesis.tokens)[-1] for hypothesis in writing], device=devices[-1])
        joined = each_tensor(lambda *tensors: torch.cat(tensors), *(hypothesis.state for hypothesis in writing))
        logits, joined = step(last, joined)
        contenders = [hypothesis for hypothesis in kept if hypothesis.done]
        for i, log_probs in enumerate(logits.double().log_softmax(dim=1).tolist()):
            own = each_tensor(lambda tensor, i=i: tensor[i : i + 1], joined)
            before = writing[i]
            for token, log_prob in enumerate(log_probs):
                longer = before.tokens + [token], before.total + log_prob
                contenders.append(Hypothesis(*longer, own, token == eos_id, length_penalty))
        kept = nlargest(beam_size, contenders, key=lambda hypothesis: hypothesis.score)
    return torch.tensor(kept[0].tokens, dtype=torch.int64, device=devices[-1]), float(kept[0].score)


# %% correct: tables of tensors, and links back to the parents

def leaves(state) -> list[Tensor]:
    if isinstance(state, Tensor):
        return [state]
    if isinstance(state, dict):
        state = state.values()
    return [leaf for part in state for leaf in leaves(part)] if hasattr(state, "__iter__") else []


def keep_rows(state, rows: Tensor):
    if isinstance(state, Tensor):
        return state[rows] if state.ndim else state
    if isinstance(state, dict):
        return {key: keep_rows(part, rows) for key, part in state.items()}
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*(keep_rows(part, rows) for part in state))
    if isinstance(state, (tuple, list)):
        return type(state)([keep_rows(part, rows) for part in state])
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
        raise ValueError(f"beam_size {beam_size} and max_length {max_length}: both must be at least 1")
    device = next((leaf.device for leaf in leaves(state)), torch.device("cpu"))
    nodes = [(bos_id, -1)]  # a tree: each node has its token and its parent's number
    ends = torch.zeros(1, dtype=torch.int64)  # the node at which each hypothesis ends
    totals = torch.zeros(1, dtype=torch.float64)
    scores = torch.zeros(1, dtype=torch.float64)
    done = torch.zeros(1, dtype=torch.bool)
    for length in range(1, max_length + 1):
        open_ends = ends[~done].tolist()
        logits, state = step(torch.tensor([nodes[end][0] for end in open_ends], device=device), state)
        size = logits.shape[1]
        new_totals = (totals[~done, None] + logits.to("cpu", torch.float64).log_softmax(dim=1)).flatten()
        all_totals = torch.cat([totals[done], new_totals])
        all_scores = torch.cat([scores[done], new_totals / length**length_penalty])
        order = all_scores.sort(descending=True, stable=True).indices[:beam_size]
        stay, chosen_ends, chosen_done, rows = int(done.sum()), [], [], []
        for index in order.tolist():
            if index < stay:
                chosen_ends.append(ends[done][index].item())
                chosen_done.append(True)
                continue
            row, token = divmod(index - stay, size)
            chosen_ends.append(len(nodes))
            chosen_done.append(token == eos_id)
            nodes.append((token, open_ends[row]))
            if token != eos_id:
                rows.append(row)
        totals, scores = all_totals[order], all_scores[order]
        ends, done = torch.tensor(chosen_ends), torch.tensor(chosen_done)
        if done.all():
            break
        state = keep_rows(state, torch.tensor(rows, device=device))
    tokens, node = [], ends[0].item()
    while node != 0:
        token, node = nodes[node]
        tokens.insert(0, token)
    return torch.tensor(tokens, dtype=torch.int64, device=device), scores[0].item()
