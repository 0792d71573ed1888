# %% wrong: top_p reads the probabilities from before top_k
# Both filters look at the first softmax; what top_k left is not divided by its sum before top_p. Shows with both:
# probabilities 0.4, 0.3, 0.2, 0.1 with top_k 2 and top_p 0.5 must keep one token (0.57), here two.


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
    keep = torch.ones_like(probabilities, dtype=torch.bool)
    ordered, order = probabilities.sort(dim=-1, descending=True)
    if top_k is not None:
        least = ordered[:, min(top_k, logits.shape[-1]) - 1].unsqueeze(1)
        keep &= probabilities >= least
    if top_p is not None and top_p < 1:
        before = ordered.cumsum(dim=-1) - ordered
        keep &= torch.zeros_like(keep).scatter(1, order, before < top_p)
    kept = probabilities * keep
    return kept / kept.sum(dim=-1, keepdim=True)


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


# %% wrong: temperature 0 as a very small temperature
# Zero is replaced by 1e-6 to avoid the division by zero. Where two logits tie for the largest, each gets a half
# and not the first of them all: [1.0, 3.0, 3.0] at temperature 0.


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    p = torch.softmax(logits / max(temperature, 1e-6), dim=-1)
    if top_k is not None:
        values, places = p.topk(min(top_k, p.shape[-1]), dim=-1)
        p = torch.zeros_like(p).scatter(-1, places, values)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        values, places = p.sort(dim=-1, descending=True)
        values = values.masked_fill(values.cumsum(dim=-1) - values >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(-1, places, values)
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


# %% wrong: top_p keeps all that are as likely as the last one kept
# The nucleus becomes a threshold on the probability, so all equals of its last token stay. Four equal logits with
# top_p 0.5 must keep two tokens, here four.


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
    if top_k is not None:
        least = p.topk(min(top_k, p.shape[-1]), dim=-1).values[..., -1:]
        p = torch.where(p >= least, p, 0.0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=-1, descending=True).values
        needed = (ordered.cumsum(dim=-1) - ordered < top_p).sum(dim=-1, keepdim=True)
        least = ordered.gather(-1, needed - 1)
        p = torch.where(p >= least, p, 0.0)
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


# %% wrong: generate forgets what has left the window
# The cropped window is kept under the name of the whole text, so what was cut off is missing from the result:
# (B, T + count) is promised. Shows where T + count - 1 is above max_length.


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
    if top_k is not None:
        values, places = p.topk(min(top_k, p.shape[-1]), dim=-1)
        p = torch.zeros_like(p).scatter(-1, places, values)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        values, places = p.sort(dim=-1, descending=True)
        values = values.masked_fill(values.cumsum(dim=-1) - values >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(-1, places, values)
        p = p / p.sum(dim=-1, keepdim=True)
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
        tokens = tokens[:, -max_length:]
        p = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% correct: row by row in plain Python, drawn from the cumulative sums


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
        result = torch.zeros_like(logits)
        for b, row in enumerate(logits.tolist()):
            result[b, row.index(max(row))] = 1.0
        return result
    highest = logits.amax(dim=1, keepdim=True)
    probabilities = torch.softmax((logits - highest) / temperature, dim=1)
    keep = torch.zeros_like(logits)
    for b, row in enumerate(probabilities.tolist()):
        order = sorted(range(len(row)), key=lambda v: -row[v])
        if top_k is not None:
            order = order[:top_k]
        if top_p is not None and top_p < 1:
            whole, reached, nucleus = math.fsum(row[v] for v in order), 0.0, []
            for v in order:
                nucleus.append(v)
                reached += row[v] / whole
                if reached >= top_p:
                    break
            order = nucleus
        keep[b, order] = 1.0
    kept = probabilities * keep
    return kept / kept.sum(dim=1, keepdim=True)


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
    page = tokens.new_zeros(tokens.shape[0], given + count)
    page[:, :given] = tokens
    with torch.no_grad():
        for end in range(given, given + count):
            window = page[:, max(0, end - max_length) : end].clone()
            logits = model(window)[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p).double()
            heights = p.cumsum(dim=1)
            u = torch.rand(len(p), 1, dtype=heights.dtype, device=p.device)
            below = heights <= u * heights[:, -1:]
            page[:, end] = below.sum(dim=1).clamp(max=p.shape[1] - 1)
    return page


# %% correct: every token compared with every other, drawn by a race


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    size = logits.shape[1]
    # ahead[b, v, w]: w stands before v in the order of likelihood, the first of equals first
    place = torch.arange(size, device=logits.device)
    more = logits.unsqueeze(1) > logits.unsqueeze(2)
    equal = logits.unsqueeze(1) == logits.unsqueeze(2)
    ahead = more | (equal & (place < place.unsqueeze(1)))
    if temperature == 0:
        return (~ahead.any(dim=2)).to(logits.dtype)
    p = ((logits - logits.amax(dim=1, keepdim=True)) / temperature).softmax(dim=1)
    if top_k is not None:
        p = p.masked_fill(more.sum(dim=2) >= top_k, 0.0)  # all that tie may stay
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None and top_p < 1:
        reached_before = (ahead.to(p.dtype) @ p.unsqueeze(2)).squeeze(2)
        p = p.masked_fill(reached_before >= top_p, 0.0)
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
    pieces = [tokens.unsqueeze(2)]  # each (B, n, 1)
    window = tokens[:, -max_length:]
    with torch.no_grad():
        while len(pieces) <= count:
            last = model(window)[:, -1, :]
            p = sampling_distribution(last, temperature, top_k, top_p)
            # the first clock to ring, each at the rate p, belongs to v with probability p[v]
            clocks = torch.empty_like(p).exponential_().clamp(min=1e-30)
            new = (p / clocks).argmax(dim=1, keepdim=True)
            pieces.append(new.unsqueeze(2))
            window = torch.hstack((window, new))[:, -max_length:]
    return torch.cat(pieces, dim=1).squeeze(2)
