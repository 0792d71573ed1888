# %% wrong: the nucleus is cut in sorted order and not put back
# The mask belongs to the sorted probabilities but is applied to the unsorted ones; right where the logits come sorted,
# as in the figure.

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
        probabilities = F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    else:
        probabilities = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        kept = probabilities.topk(min(top_k, logits.shape[-1]), dim=-1).indices
        mask = torch.zeros_like(probabilities).scatter(1, kept, 1.0)
        probabilities = probabilities * mask
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered = probabilities.sort(dim=-1, descending=True).values
        before = ordered.cumsum(dim=-1) - ordered
        probabilities = torch.where(before < top_p, probabilities, torch.zeros_like(probabilities))
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
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


# %% wrong: top_p measures the probabilities before top_k
# After top_k the rest is not divided by its sum before top_p looks at it, so that top_p keeps too many.

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
        p = torch.zeros_like(logits).scatter(1, logits.argmax(1, keepdim=True), 1.0)
    else:
        p = (logits / temperature).softmax(dim=1)
    ordered, indices = p.sort(dim=1, descending=True, stable=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep &= torch.arange(V) < top_k
    if top_p is not None:
        keep &= ordered.cumsum(dim=1) - ordered < top_p
    ordered = ordered * keep
    ordered = ordered / ordered.sum(dim=1, keepdim=True)
    return torch.zeros_like(p).scatter(1, indices, ordered)


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
            window = tokens[:, -max_length:]
            p = sampling_distribution(model(window)[:, -1], temperature=temperature, top_k=top_k, top_p=top_p)
            tokens = torch.cat([tokens, torch.multinomial(p, num_samples=1)], dim=1)
    return tokens


# %% wrong: equal largest logits share at temperature 0
# All that equal the maximum are kept, and the first of equals is promised everything.

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
        largest = (logits == logits.max(dim=-1, keepdim=True).values).to(logits.dtype)
        p = largest / largest.sum(dim=-1, keepdim=True)
    else:
        p = F.softmax(logits / temperature, dim=-1)
    if top_k is not None and top_k < p.shape[-1]:
        values, places = p.topk(top_k, dim=-1)
        p = torch.zeros_like(p).scatter_(-1, places, values)
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        values, places = p.sort(dim=-1, descending=True)
        values[values.cumsum(-1) - values >= top_p] = 0
        p = torch.zeros_like(p).scatter_(-1, places, values)
        p = p / p.sum(-1, keepdim=True)
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
        p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, p.multinomial(1)], dim=1)
    return tokens


# %% wrong: gradients are switched off and stay off
# set_grad_enabled as a plain call holds on after the function: nothing can be trained after writing.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature > 0:
        probs = (logits / temperature).softmax(-1)
    else:
        probs = F.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    sorted_probs, order = probs.sort(dim=-1, descending=True, stable=True)
    if top_k is not None:
        sorted_probs[:, top_k:] = 0
        sorted_probs = sorted_probs / sorted_probs.sum(-1, keepdim=True)
    if top_p is not None:
        reached_before = sorted_probs.cumsum(-1) - sorted_probs >= top_p
        sorted_probs = sorted_probs.masked_fill(reached_before, 0)
        sorted_probs = sorted_probs / sorted_probs.sum(-1, keepdim=True)
    return torch.zeros_like(probs).scatter_(-1, order, sorted_probs)


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
    out = tokens.clone()
    for _ in range(count):
        logits = model(out[:, -max_length:])
        probs = sampling_distribution(logits[:, -1, :], temperature, top_k, top_p)
        out = torch.cat((out, torch.multinomial(probs, 1)), dim=1)
    return out


# %% wrong: a large top_k fails, and the prompt is cut wrongly
# Two mistakes: topk fails where top_k is larger than V, and the model reads the first max_length tokens, not the last.

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
        p = torch.zeros_like(logits)
        p[torch.arange(len(logits)), logits.argmax(dim=1)] = 1
    else:
        p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        values, indices = torch.topk(p, top_k, dim=1)
        p = torch.zeros_like(p).scatter(1, indices, values / values.sum(dim=1, keepdim=True))
    if top_p is not None:
        values, indices = torch.sort(p, dim=1, descending=True)
        values = values * (values.cumsum(dim=1) - values < top_p)
        p = torch.zeros_like(p).scatter(1, indices, values / values.sum(dim=1, keepdim=True))
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
        logits = model(tokens[:, :max_length])[:, -1]
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% correct: row by row with lists

def one_row(scores: list[float], temperature: float, top_k: int | None, top_p: float | None) -> list[float]:
    ranked = sorted(range(len(scores)), key=lambda v: -scores[v])  # stable: the first of equals stays first
    best = scores[ranked[0]]
    if temperature == 0:
        mass = {ranked[0]: 1.0}
    else:
        mass = {v: math.exp((scores[v] - best) / temperature) for v in ranked}
    whole = sum(mass.values())
    mass = {v: m / whole for v, m in mass.items()}
    if top_k is not None:
        mass = {v: mass[v] for v in ranked[:top_k] if v in mass}
        whole = sum(mass.values())
        mass = {v: m / whole for v, m in mass.items()}
    if top_p is not None:
        together, nucleus = 0.0, {}
        for v, m in mass.items():  # in the order of falling probability
            if together >= top_p:
                break
            nucleus[v] = m
            together += m
        mass = {v: m / together for v, m in nucleus.items()}
    return [mass.get(v, 0.0) for v in range(len(scores))]


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    rows = [one_row(scores, temperature, top_k, top_p) for scores in logits.tolist()]
    return torch.tensor(rows, dtype=logits.dtype, device=logits.device).reshape(logits.shape)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    prompt_length = tokens.shape[1]
    text = tokens.new_zeros(tokens.shape[0], prompt_length + count)
    text[:, :prompt_length] = tokens
    with torch.no_grad():
        for end in range(prompt_length, prompt_length + count):
            logits = model(text[:, max(0, end - max_length) : end])
            probabilities = sampling_distribution(logits[:, -1], temperature, top_k, top_p)
            text[:, end] = torch.multinomial(probabilities, 1).squeeze(1)
    return text


# %% correct: ranks, and a draw on the unit interval

def shared_out(probabilities: Tensor) -> Tensor:
    return probabilities / probabilities.sum(dim=1, keepdim=True)


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
        winner = logits.argmax(dim=1, keepdim=True)
        places = torch.arange(logits.shape[1], device=logits.device)
        p = (places == winner).to(logits.dtype)
    else:
        p = ((logits - logits.amax(dim=1, keepdim=True)) / temperature).softmax(dim=1)
    order = p.argsort(dim=1, descending=True, stable=True)
    rank = order.argsort(dim=1)  # which place a token has among the others
    if top_k is not None:
        p = shared_out(p * (rank < top_k))
    if top_p is not None:
        falling = p.gather(1, order)
        before = F.pad(falling.cumsum(dim=1), (1, 0))[:, :-1]
        p = shared_out(p.masked_fill(before.gather(1, rank) >= top_p, 0))
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
    def draw(p: Tensor) -> Tensor:
        ladder = p.double().cumsum(dim=1)
        ladder = ladder / ladder[:, -1:]
        point = torch.rand(len(p), 1, dtype=torch.float64, device=p.device)
        return (ladder <= point).sum(dim=1, keepdim=True)

    written = [column.unsqueeze(1) for column in tokens.unbind(1)]
    while len(written) < tokens.shape[1] + count:
        with torch.no_grad():
            rows = model(torch.cat(written[-max_length:], dim=1))
            p = sampling_distribution(rows[:, -1], temperature=temperature, top_k=top_k, top_p=top_p)
        written.append(draw(p).to(tokens.dtype))
    return torch.cat(written, dim=1)
