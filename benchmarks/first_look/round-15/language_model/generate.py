# %% wrong: top_p looks at the distribution before top_k
# The running sums for top_p are those of the full softmax: after top_k the sums are not divided
# again first. Shows with both settings: 0.4, 0.3, 0.2, 0.1 with top_k 3 and top_p 0.75 keeps three
# tokens, where two have 0.78 of what top_k left.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    probabilities = torch.softmax(logits / temperature, dim=-1)
    ordered, places = probabilities.sort(dim=-1, descending=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        keep &= ordered.cumsum(dim=-1) - ordered < top_p
    kept = torch.zeros_like(probabilities).scatter(1, places, ordered * keep)
    return kept / kept.sum(dim=-1, keepdim=True)


@torch.no_grad()
def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    for _ in range(count):
        last = model(tokens[:, -max_length:])[:, -1]
        drawn = torch.multinomial(sampling_distribution(last, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, drawn], dim=1)
    return tokens

# %% wrong: top_p keeps all that are as likely as the last
# The nucleus is turned into a threshold, probabilities >= the least one kept, so all equals stay.
# Shows where the last token needed has equals: four equal logits with top_p 0.5 must keep two.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        first = logits.argmax(dim=1, keepdim=True)
        return torch.zeros_like(logits).scatter_(1, first, 1.0)
    p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        least = p.topk(min(top_k, p.shape[1]), dim=1).values[:, -1:]
        p = torch.where(p >= least, p, 0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=1, descending=True).values
        needed = (ordered.cumsum(dim=1) - ordered < top_p).sum(dim=1, keepdim=True)
        least = ordered.gather(1, needed - 1)
        p = torch.where(p >= least, p, 0)
        p = p / p.sum(dim=1, keepdim=True)
    return p


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(p, num_samples=1)], dim=1)
    return tokens

# %% wrong: the text is cut to the window as well
# tokens itself is cropped before the model reads, so the beginning is lost from the result.
# Shows where T + count - 1 is above max_length: fewer than T + count columns come back.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    p = torch.softmax(logits / temperature, dim=-1)
    ordered, places = p.sort(dim=-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(p).scatter(1, places, ordered)


@torch.no_grad()
def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    for _ in range(count):
        tokens = tokens[:, -max_length:]  # what the model can read
        logits = model(tokens)[:, -1, :]
        drawn = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, drawn], dim=1)
    return tokens

# %% wrong: gradients stay off
# set_grad_enabled(False) is never taken back: after the first call nothing in the notebook can be
# trained. What is returned is right; torch.is_grad_enabled() is False afterwards.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    p = torch.softmax(logits / temperature, dim=-1)
    ordered, places = p.sort(dim=-1, descending=True)
    if top_k is not None:
        ordered = torch.cat([ordered[:, :top_k], torch.zeros_like(ordered[:, top_k:])], dim=1)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered * (before < top_p)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(p).scatter(1, places, ordered)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    torch.set_grad_enabled(False)
    for _ in range(count):
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens

# %% correct: ranks by comparing all pairs, draws by racing exponentials

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    number = torch.arange(logits.shape[-1], device=logits.device)
    larger = logits.unsqueeze(1) > logits.unsqueeze(2)  # [b, i, j]: j comes before i
    equal = logits.unsqueeze(1) == logits.unsqueeze(2)
    before = larger | (equal & (number.unsqueeze(0) < number.unsqueeze(1)))
    rank = before.sum(dim=2)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    shifted = (logits - logits.amax(dim=1, keepdim=True)) / temperature
    p = shifted.exp()
    p = p / p.sum(dim=1, keepdim=True)
    if top_k is not None:
        p = p * (rank < top_k)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ahead = (before * p.unsqueeze(1)).sum(dim=2)  # the probability of all before it
        p = p * ((ahead < top_p) | (rank == 0))
        p = p / p.sum(dim=1, keepdim=True)
    return p


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    rows, given = tokens.shape
    text = tokens.new_empty(rows, given + count)
    text[:, :given] = tokens
    with torch.no_grad():
        for end in range(given, given + count):
            logits = model(text[:, max(0, end - max_length) : end])[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p)
            # the first of V waiting times, with these rates, belongs to v with probability p_v
            text[:, end] = (p / torch.empty_like(p).exponential_()).argmax(dim=1)
    return text

# %% correct: plain Python lists, row by row

import itertools


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    result = torch.zeros_like(logits)
    for b, row in enumerate(logits.tolist()):
        order = sorted(range(len(row)), key=lambda v: (-row[v], v))
        if temperature == 0:
            result[b, order[0]] = 1
            continue
        chances = [math.exp((row[v] - row[order[0]]) / temperature) for v in order]
        chances = chances[:top_k]  # None: all of them
        whole = math.fsum(chances)
        chances = [c / whole for c in chances]
        if top_p is not None:
            reached = itertools.accumulate(chances)
            # as many as stay below, and the one that reaches it
            short = sum(1 for _ in itertools.takewhile(lambda r: r < top_p, reached))
            chances = chances[: short + 1]
            whole = math.fsum(chances)
        else:
            whole = 1.0
        for v, c in zip(order, chances):
            result[b, v] = c / whole
    return result


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    columns = list(tokens.unbind(dim=1))
    with torch.no_grad():
        while len(columns) < tokens.shape[1] + count:
            read = torch.stack(columns[-max_length:], dim=1)
            p = sampling_distribution(model(read)[:, -1], temperature, top_k, top_p)
            columns.append(torch.distributions.Categorical(probs=p).sample().to(tokens.dtype))
    return torch.stack(columns, dim=1)
