# %% wrong: top_p of what has not been divided yet
# After top_k the kept probabilities are not divided by their sum before top_p adds them up: with both settings it keeps too
# many. Probabilities 0.4, 0.3, 0.2, 0.1 with top_k = 2 and top_p = 0.55: it keeps two, and 0.4 / 0.7 = 0.571 is enough alone.

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
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    probabilities = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < least, 0.0)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
    return probabilities / probabilities.sum(dim=1, keepdim=True)


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
            new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
            tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: the sum that never reaches one
# (sums >= top_p).argmax finds the first place that reaches top_p; where rounding keeps the sum below it, as for top_p = 1.0
# with many tokens, all are False, argmax says 0 and the most likely token alone stays.

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
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    probabilities = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        probabilities = torch.where(probabilities >= least, probabilities, 0.0)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        reaches = (ordered.cumsum(dim=1) >= top_p).int().argmax(dim=1, keepdim=True)
        stays = torch.arange(logits.shape[1], device=logits.device) <= reaches
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered * stays)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    return probabilities


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
            new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
            tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: the beginning is thrown away
# tokens is cut to the window before each reading and never put together again: where T + count is above max_length the result
# has fewer than T + count tokens and does not begin with the given ones.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    V = logits.shape[-1]
    if temperature == 0:
        probabilities = torch.zeros_like(logits).scatter(1, logits.argmax(1, keepdim=True), 1.0)
    else:
        probabilities = (logits / temperature).softmax(1)
    if top_k is not None and top_k < V:
        values, places = probabilities.topk(top_k)
        probabilities = torch.zeros_like(probabilities).scatter(1, places, values / values.sum(1, keepdim=True))
    if top_p is not None:
        values, places = probabilities.sort(1, descending=True)
        values = values * (values.cumsum(1) - values < top_p)
        probabilities = torch.zeros_like(probabilities).scatter(1, places, values / values.sum(1, keepdim=True))
    return probabilities


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
            tokens = tokens[:, -max_length:]
            probabilities = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: the caller's logits are divided
# `logits /= temperature` writes into the argument: after a call with a temperature other than 1 the logits are changed, and the
# same call gives another distribution.

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
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    logits /= temperature
    if top_k is not None:
        least = logits.topk(min(top_k, logits.shape[1]), dim=1).values[:, [-1]]
        logits = logits.masked_fill(logits < least, -math.inf)
    probabilities = logits.softmax(dim=1)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        drop = ordered.cumsum(dim=1) - ordered >= top_p
        drop = torch.zeros_like(drop).scatter(1, order, drop)
        probabilities = probabilities.masked_fill(drop, 0.0)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    return probabilities


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
            new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
            tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% correct: row by row, choosing with lists

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    rows = []
    for row in logits:
        scores = row.tolist()
        order = sorted(range(len(scores)), key=lambda i: -scores[i])  # stable: the first of equals is first
        if temperature == 0:
            p = torch.zeros_like(row)
            p[order[0]] = 1.0
        else:
            p = torch.softmax((row.double() - scores[order[0]]) / temperature, dim=0)
        stays = order if top_k is None else order[:top_k]
        p = p / p[stays].sum()
        if top_p is not None:
            mass, kept, reached = p.tolist(), [], 0.0
            for i in stays:
                if reached >= top_p:
                    break
                kept.append(i)
                reached += mass[i]
            stays = kept
        chosen = torch.zeros_like(p)
        chosen[stays] = 1.0
        p = p * chosen
        rows.append((p / p.sum()).to(logits.dtype))
    return torch.stack(rows)


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
        text = [tokens[:, t] for t in range(tokens.shape[1])]
        for _ in range(count):
            seen = torch.stack(text[max(0, len(text) - max_length) :], dim=1)
            probabilities = sampling_distribution(model(seen)[:, -1, :], temperature=temperature, top_k=top_k, top_p=top_p)
            text.append(torch.multinomial(probabilities, num_samples=1).squeeze(1).to(tokens.dtype))
        return torch.stack(text, dim=1)


# %% correct: by ranks, and drawn by racing exponentials

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
    order = torch.argsort(logits, dim=1, descending=True, stable=True)
    rank = torch.argsort(order, dim=1)  # 0 for the most likely
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    above = (logits - logits.amax(dim=1, keepdim=True)).double() / temperature
    p = above.exp()
    p = p / p.sum(dim=1, keepdim=True)
    if top_k is not None:
        p = p * (rank < min(top_k, V))
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        sorted_p = p.gather(1, order)
        before = F.pad(sorted_p.cumsum(dim=1)[:, :-1], (1, 0))  # what the more likely ones have together
        p = p * (before < top_p).gather(1, rank)
        p = p / p.sum(dim=1, keepdim=True)
    return p.to(logits.dtype)


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
    given = tokens.shape[1]
    text = torch.cat([tokens, tokens.new_zeros(tokens.shape[0], count)], dim=1)
    for end in range(given, given + count):
        logits = model(text[:, max(0, end - max_length) : end])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        race = torch.empty_like(p).exponential_()
        text[:, end] = torch.where(p > 0, p / race, -1.0).argmax(dim=1)
    return text
