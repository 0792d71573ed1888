# %% wrong: one token too many at equality
# Keeps a token where those before it have at most top_p, `<=` for `<`: where they reach top_p exactly, one more than
# needed stays. Probabilities 1/2, 1/4, 1/4 and top_p 0.5 keep two tokens instead of one (or all three).

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
        p = F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        kth = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = torch.where(p >= kth, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before > top_p, 0.0)  # the one that crosses stays
        p = torch.zeros_like(p).scatter(1, order, ordered)
        p = p / p.sum(dim=-1, keepdim=True)
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
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: not divided after top_k
# The sum after top_k is left to the end, so top_p is reached only with the probabilities of before: with 0.4, 0.3,
# 0.2, 0.1, top_k 2 and top_p 0.55 two tokens stay, where 0.4 / 0.7 is enough.

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
        probs = torch.zeros_like(logits)
        probs.scatter_(1, logits.argmax(dim=1, keepdim=True), 1.0)
    else:
        probs = F.softmax(logits / temperature, dim=1)
    if top_k is not None and top_k < probs.shape[1]:
        smallest = torch.topk(probs, top_k, dim=1).values[:, -1:]
        probs = probs.masked_fill(probs < smallest, 0.0)
    if top_p is not None:
        values, indices = torch.sort(probs, dim=1, descending=True)
        remove = values.cumsum(dim=1) - values >= top_p
        values = values.masked_fill(remove, 0.0)
        probs = torch.zeros_like(probs).scatter(1, indices, values)
    return probs / probs.sum(dim=1, keepdim=True)


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
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: temperature 0 shared among equals
# At temperature 0 all the largest logits share the probability, where the first of equals gets all. Shows for rows in
# which the largest logit stands twice.

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
        largest = logits == logits.max(dim=-1, keepdim=True).values
        p = largest.to(logits.dtype)
        p = p / p.sum(dim=-1, keepdim=True)
    else:
        p = (logits / temperature).softmax(dim=-1)
    if top_k is not None:
        bound = p.sort(dim=-1, descending=True).values[:, min(top_k, p.size(1)) - 1]
        p = p * (p >= bound.unsqueeze(1))
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True, stable=True)
        kept = ordered.cumsum(dim=-1) - ordered < top_p
        p = p * torch.zeros_like(kept).scatter(1, order, kept)
        p = p / p.sum(dim=-1, keepdim=True)
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
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: the beginning cut off
# generate cuts `tokens` itself to the last max_length, so what is returned has lost its beginning: max_length + 1
# tokens instead of T + count. Shows where T + count is above max_length + 1.

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
        p = F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        kth = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = torch.where(p < kth, 0.0, p)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        ordered = torch.where(ordered.cumsum(dim=-1) - ordered < top_p, ordered, 0.0)
        p = torch.zeros_like(p).scatter(1, order, ordered)
        p = p / p.sum(dim=-1, keepdim=True)
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
            tokens = tokens[:, -max_length:]  # all that the model can read
            probabilities = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
            drawn = torch.multinomial(probabilities, num_samples=1)
            tokens = torch.cat((tokens, drawn), dim=1)
    return tokens


# %% correct: row by row, token by token

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
    for row in logits.unbind(0):
        V = len(row)
        if temperature == 0:
            values = row.tolist()
            p = F.one_hot(torch.tensor(values.index(max(values)), device=row.device), V).to(row.dtype)
        else:
            p = ((row - row.max()) / temperature).softmax(dim=0)
        ranking = sorted(range(V), key=p.tolist().__getitem__, reverse=True)  # equals in their order
        if top_k is not None:
            keep = torch.zeros(V, dtype=torch.bool, device=row.device)
            keep[ranking[:top_k]] = True
            p = p.masked_fill(~keep, 0.0)
            p = p / p.sum()
        if top_p is not None:
            together, keep = 0.0, torch.zeros(V, dtype=torch.bool, device=row.device)
            for token in ranking:
                keep[token] = True
                together += p[token].item()
                if together >= top_p:
                    break
            p = p.masked_fill(~keep, 0.0)
            p = p / p.sum()
        rows.append(p)
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
    written = [tokens]
    read = tokens[:, -max_length:]
    with torch.no_grad():
        for _ in range(count):
            p = sampling_distribution(model(read)[:, -1], temperature, top_k, top_p)
            waiting = torch.empty_like(p, dtype=torch.float64).exponential_()  # the first of V alarm clocks rings
            new = torch.where(p > 0, p / waiting, -torch.ones_like(waiting)).argmax(dim=1, keepdim=True)
            new = new.to(tokens.dtype)
            written.append(new)
            read = torch.cat([read, new], dim=1)[:, -max_length:]
    return torch.cat(written, dim=1)


# %% correct: ranks by comparing all pairs

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
    number = torch.arange(V, device=logits.device)

    def before(x: Tensor) -> Tensor:
        """(B, V, V): True where token j stands before token i in order of x, equals by their number."""
        i, j = x.unsqueeze(2), x.unsqueeze(1)
        return (j > i) | ((j == i) & (number < number.unsqueeze(1)))

    def thinned(p: Tensor, keep: Tensor) -> Tensor:
        p = p * keep.to(p.dtype)
        return p / p.sum(dim=1, keepdim=True)

    if temperature == 0:
        p = (~before(logits).any(dim=2)).to(logits.dtype)  # nobody stands before the first
    else:
        shifted = (logits - logits.amax(dim=1, keepdim=True).detach()) / temperature
        p = shifted.exp() / shifted.exp().sum(dim=1, keepdim=True)
    if top_k is not None:
        p = thinned(p, before(p).sum(dim=2) < top_k)
    if top_p is not None:
        mass_before = (before(p).to(torch.float64) @ p.detach().double().unsqueeze(2)).squeeze(2)
        p = thinned(p, mass_before < top_p)
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
    page = torch.cat([tokens, tokens.new_zeros(B, count)], dim=1)
    was_on = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        for end in range(T, T + count):
            rows = model(page[:, max(0, end - max_length) : end].clone())
            p = sampling_distribution(rows[:, -1, :], temperature=temperature, top_k=top_k, top_p=top_p)
            ladder = p.double().cumsum(dim=1)
            dart = torch.rand(B, 1, dtype=torch.float64, device=p.device) * ladder[:, -1:]
            hit = torch.searchsorted(ladder, dart, right=True).squeeze(1)
            last = torch.where(p > 0, torch.arange(p.shape[1], device=p.device), -1).amax(dim=1)
            page[:, end] = torch.minimum(hit, last)
    finally:
        torch.set_grad_enabled(was_on)
    return page
