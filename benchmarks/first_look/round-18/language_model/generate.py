# %% wrong: top_p keeps every token as likely as the last
# Finds the probability of the token that reaches top_p and keeps all that have at least that: four equal ones at top_p 0.5 all stay.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    V = logits.shape[1]
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), V).to(logits.dtype)
    p = (logits / temperature).softmax(dim=1)
    if top_k is not None:
        least = p.topk(min(top_k, V), dim=1).values[:, -1:]
        p = p.masked_fill(p < least, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=1, descending=True).values
        needed = (ordered.cumsum(dim=1) - ordered < top_p).sum(dim=1, keepdim=True)
        least = ordered.gather(1, needed - 1)
        p = p.masked_fill(p < least, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    return p


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
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: top_p is measured before top_k
# The mass for top_p is summed over all tokens and not over the k that stay: for 0.4, 0.3, 0.2, 0.1 with top_k 2 and top_p 0.5 two stay and not one.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    V = logits.shape[1]
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), V).to(logits.dtype)
    p = (logits / temperature).softmax(dim=1)
    ordered, index = p.sort(dim=1, descending=True)
    keep = torch.ones_like(p, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        keep &= ordered.cumsum(dim=1) - ordered < top_p
    kept = torch.zeros_like(p).scatter(1, index, ordered * keep)
    return kept / kept.sum(dim=1, keepdim=True)


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
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: temperature 0 as a very small one
# Divides by 1e-6 instead: two equal largest logits get one half each, although the first should get all.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    V = logits.shape[1]
    p = (logits / max(temperature, 1e-6)).softmax(dim=1)
    if top_k is not None:
        least = p.topk(min(top_k, V), dim=1).values[:, -1:]
        p = p * (p >= least)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, index = p.sort(dim=1, descending=True)
        keep = ordered.cumsum(dim=1) - ordered < top_p
        p = torch.zeros_like(p).scatter(1, index, ordered * keep)
        p = p / p.sum(dim=1, keepdim=True)
    return p


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
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: generate forgets what has left the window
# Cuts the tokens themselves to max_length: once T + count is above it, the result lacks its beginning.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    V = logits.shape[1]
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), V).to(logits.dtype)
    p = (logits / temperature).softmax(dim=1)
    if top_k is not None:
        least = p.topk(min(top_k, V), dim=1).values[:, -1:]
        p = p * (p >= least)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, index = p.sort(dim=1, descending=True)
        keep = ordered.cumsum(dim=1) - ordered < top_p
        p = torch.zeros_like(p).scatter(1, index, ordered * keep)
        p = p / p.sum(dim=1, keepdim=True)
    return p


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
        if tokens.shape[1] > max_length:
            tokens = tokens[:, -max_length:]
        p = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, num_samples=1)], dim=1)
    return tokens


# %% correct: a row at a time, tokens sorted in Python

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
    for row, out in zip(logits, result, strict=True):
        order = sorted(range(len(row)), key=lambda v: (-row[v].item(), v))
        if temperature == 0:
            out[order[0]] = 1
            continue
        shares = torch.softmax((row - row.max()) / temperature, dim=0)
        if top_k is not None:
            order = order[:top_k]
            shares = shares / shares[order].sum()
        if top_p is not None:
            mass, kept = 0.0, []
            for v in order:
                kept.append(v)
                mass += shares[v].item()
                if mass >= top_p:
                    break
            order = kept
        out[order] = shares[order] / shares[order].sum()
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
        for _ in range(count):
            last = model(torch.stack(columns[-max_length:], dim=1))[:, -1]
            p = sampling_distribution(last, temperature, top_k, top_p)
            columns.append(torch.cat([torch.multinomial(row, 1) for row in p]))
    return torch.stack(columns, dim=1)


# %% correct: ranks by comparing all pairs, and a race of exponential times

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    V = logits.shape[1]
    place = torch.arange(V, device=logits.device)
    one, other = logits.unsqueeze(2), logits.unsqueeze(1)
    # (B, V, V): does token j come before token i?
    ahead = (other > one) | ((other == one) & (place < place.unsqueeze(1)))
    rank = ahead.sum(dim=2)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    p = torch.softmax((logits - logits.amax(dim=1, keepdim=True)) / temperature, dim=1)
    if top_k is not None:
        p = torch.where(rank < top_k, p, torch.zeros_like(p))
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        before = (ahead * p.unsqueeze(1)).sum(dim=2)
        p = torch.where((before < top_p) | (rank == 0), p, torch.zeros_like(p))
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
    B, T = tokens.shape
    written = torch.cat([tokens, tokens.new_zeros(B, count)], dim=1)
    with torch.no_grad():
        for end in range(T, T + count):
            logits = model(written[:, max(0, end - max_length) : end])[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p)
            # the first of exponential clocks with rates p rings at v with probability p[v]
            clocks = (torch.empty_like(p).exponential_() / p).masked_fill(p == 0, math.inf)
            written[:, end] = clocks.argmin(dim=1)
    return written
