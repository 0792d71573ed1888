# %% wrong: the window is cut for good
# tokens itself is cut to the last max_length, so that the beginning of the text is lost from the result.
# Shows where T + count exceeds max_length by more than one: fewer than T + count tokens come back.

def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        probs = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        probs = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        kept = probs.topk(min(top_k, probs.shape[1]), dim=1)
        probs = torch.zeros_like(probs).scatter(1, kept.indices, kept.values)
        probs = probs / probs.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = probs.sort(dim=1, descending=True, stable=True)
        keep = ordered.cumsum(dim=1) - ordered < top_p
        probs = torch.zeros_like(probs).scatter(1, order, ordered * keep)
        probs = probs / probs.sum(dim=1, keepdim=True)
    return probs


@torch.no_grad()
def generate(model, tokens, count, max_length, temperature=1.0, top_k=None, top_p=None):
    for _ in range(count):
        tokens = tokens[:, -max_length:]
        logits = model(tokens)[:, -1]
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: divided by the sum only at the end
# After top_k the probabilities are not divided by their sum, so that top_p is taken of the whole distribution.
# Shows with both set: for 0.4, 0.3, 0.2, 0.1 with top_k 2 and top_p 0.5 two tokens stay where one is enough.

def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[torch.arange(len(p)), logits.argmax(dim=1)] = 1
        return p
    p = F.softmax(logits / temperature, dim=-1)
    sorted_p, index = torch.sort(p, dim=-1, descending=True)
    keep = torch.ones_like(sorted_p, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        before = sorted_p.cumsum(dim=-1) - sorted_p
        keep &= before < top_p
    sorted_p = sorted_p * keep
    sorted_p = sorted_p / sorted_p.sum(dim=-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, index, sorted_p)


def generate(model, tokens, count, max_length, temperature=1.0, top_k=None, top_p=None):
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1, :]
            p = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(p, num_samples=1)], dim=1)
    return tokens


# %% wrong: all that are as likely as the last stay, in top_p too
# top_p keeps every token not less likely than the one that reaches p. The fewest are asked for. Shows for equals:
# four tokens of 0.25 with top_p 0.5 all stay, where two are enough.

def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    B, V = logits.shape
    if temperature == 0:
        p = F.one_hot(logits.argmax(dim=1), V).to(logits.dtype)
    else:
        p = (logits / temperature).softmax(dim=1)
    if top_k is not None:
        smallest = p.topk(min(top_k, V), dim=1).values[:, -1:]
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=1, descending=True).values
        needed = (ordered.cumsum(dim=1) < top_p).sum(dim=1, keepdim=True).clamp(max=V - 1)
        smallest = ordered.gather(1, needed)
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    return p


@torch.no_grad()
def generate(model, tokens, count, max_length, temperature=1.0, top_k=None, top_p=None):
    for _ in range(count):
        p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: temperature 0 is a very small one
# Dividing by 1e-6 in place of 0 leaves equals equal. Shows for temperature 0 with two largest logits, [1., 1., 0.]:
# each gets a half, where the first should get all (logits closer than 1e-6 are not told apart either).

def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    probabilities = torch.softmax(logits / max(temperature, 1e-6), dim=-1)
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        values, places = probabilities.topk(k, dim=-1)
        probabilities = torch.zeros_like(probabilities).scatter_(-1, places, values)
        probabilities /= probabilities.sum(dim=-1, keepdim=True)
    if top_p is not None:
        values, places = probabilities.sort(dim=-1, descending=True)
        values[values.cumsum(dim=-1) - values >= top_p] = 0
        probabilities = torch.zeros_like(probabilities).scatter_(-1, places, values)
        probabilities /= probabilities.sum(dim=-1, keepdim=True)
    return probabilities


def generate(model, tokens, count, max_length, temperature=1.0, top_k=None, top_p=None):
    out = tokens.clone()
    with torch.no_grad():
        for _ in range(count):
            logits = model(out[:, -max_length:])
            probabilities = sampling_distribution(logits[:, -1], temperature=temperature, top_k=top_k, top_p=top_p)
            out = torch.cat((out, torch.multinomial(probabilities, 1)), dim=1)
    return out


# %% correct: ranks from comparing all pairs, drawn by a race

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    number = torch.arange(logits.shape[1], device=logits.device)
    earlier = number[None, :] < number[:, None]
    mine, other = logits[:, :, None], logits[:, None, :]
    ahead = (other > mine) | ((other == mine) & earlier)  # (B, V, V): who comes before me
    rank = ahead.sum(dim=2)
    if temperature == 0:
        p = (rank == 0).double()
    else:
        highest = logits.double().amax(dim=1, keepdim=True)
        p = ((logits.double() - highest) / temperature).exp()
        p = p / p.sum(dim=1, keepdim=True)
    if top_k is not None:
        p = p.masked_fill(rank >= top_k, 0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None and top_p < 1:
        before_me = (ahead.double() @ p.unsqueeze(2)).squeeze(2)
        p = p.masked_fill(before_me >= top_p, 0)
        p = p / p.sum(dim=1, keepdim=True)
    return p.to(logits.dtype)


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
    page = F.pad(tokens, (0, count))
    with torch.no_grad():
        for end in range(given, given + count):
            logits = model(page[:, max(0, end - max_length) : end])
            p = sampling_distribution(logits[:, -1], temperature, top_k, top_p)
            arrival = torch.empty_like(p).exponential_()  # the first to arrive wins, at the speed p
            page[:, end] = (p / arrival).argmax(dim=1)
    return page


# %% correct: row by row in plain lists, written in halves

def one_row(scores: list, temperature: float, top_k, top_p) -> list:
    V = len(scores)
    order = sorted(range(V), key=lambda v: -scores[v])  # stable: the first of equals comes first
    top = scores[order[0]]
    if temperature == 0:
        p = [1.0] + [0.0] * (V - 1)
    else:
        p = [math.exp((scores[v] - top) / temperature) for v in order]
    p = [q / math.fsum(p) for q in p]
    if top_k is not None:
        p = p[:top_k]
        p = [q / math.fsum(p) for q in p]
    if top_p is not None and top_p < 1:
        stay, together = 0, 0.0
        while stay < len(p) and together < top_p:
            together += p[stay]
            stay += 1
        p = p[:stay]
        p = [q / math.fsum(p) for q in p]
    result = [0.0] * V
    for v, q in zip(order, p):
        result[v] = q
    return result


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    rows = [one_row(row, temperature, top_k, top_p) for row in logits.tolist()]
    return torch.tensor(rows, dtype=logits.dtype, device=logits.device)


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
    if count == 0:
        return tokens
    if count > 1:  # write one half, then, having read it, the other
        half = generate(model, tokens, count // 2, max_length, temperature, top_k, top_p)
        return generate(model, half, count - count // 2, max_length, temperature, top_k, top_p)
    context = tokens if tokens.shape[1] <= max_length else tokens[:, tokens.shape[1] - max_length :]
    p = sampling_distribution(model(context)[:, -1], temperature, top_k, top_p)
    return torch.hstack([tokens, p.multinomial(1)])
