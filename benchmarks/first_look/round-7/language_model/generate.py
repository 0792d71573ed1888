# %% wrong: the token that crosses p goes
# Kept is what has a cumulated probability of at most p (and always the first): the token that reaches p is thrown away.
# 0.45, 0.30, 0.15, ... with top_p = 0.7 keeps one token and not two.

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
        k = min(top_k, logits.shape[-1])
        smallest = probabilities.topk(k, dim=-1).values[:, -1:]
        probabilities = torch.where(probabilities >= smallest, probabilities, torch.zeros_like(probabilities))
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) <= top_p
        stays[:, 0] = True
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered * stays)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return probabilities


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
        probabilities = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: top-k is not divided by its sum
# After top_k the probabilities do not sum to one when top_p looks at them, so top_p keeps too many: 0.4, 0.3, 0.2, 0.1 with
# top_k = 2 and top_p = 0.5 gives two tokens, where 0.57 and 0.43 give one. With top_k alone nothing shows.

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
    if top_k is not None and top_k < logits.shape[-1]:
        smallest = probabilities.topk(top_k, dim=-1).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < smallest, 0.0)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
    return probabilities / probabilities.sum(dim=-1, keepdim=True)


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
        probabilities = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: a small temperature for zero
# Temperature 0 is replaced by 1e-6, to avoid the division by zero: equally large logits then share the probability, where
# all of it belongs to the first of them (and logits that differ by less than about 1e-5 share it as well).

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    probabilities = torch.softmax(logits / max(temperature, 1e-6), dim=-1)
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        smallest = probabilities.topk(k, dim=-1).values[:, -1:]
        probabilities = torch.where(probabilities >= smallest, probabilities, torch.zeros_like(probabilities))
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return probabilities


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
        probabilities = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: reads the first max_length tokens
# tokens[:, :max_length] is the beginning of the text. Once the text is longer than max_length the model reads the same
# tokens at each step and never sees what it has written.

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
        k = min(top_k, logits.shape[-1])
        smallest = probabilities.topk(k, dim=-1).values[:, -1:]
        probabilities = torch.where(probabilities >= smallest, probabilities, torch.zeros_like(probabilities))
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return probabilities


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
        window = tokens[:, :max_length]
        logits = model(window)[:, -1, :]
        probabilities = sampling_distribution(logits, temperature=temperature, top_k=top_k, top_p=top_p)
        next_token = torch.multinomial(probabilities, num_samples=1)
        tokens = torch.cat((tokens, next_token), dim=1)
    return tokens


# %% correct: the most likely one taken out, again and again

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
        best = logits.argmax(dim=1, keepdim=True)
        return torch.zeros_like(logits).scatter(1, best, 1.0)  # one token: k and p have nothing left to take

    def keep_most_likely(p, enough):
        """Moves tokens over, the most likely first, until enough(how many, their mass (B,)) holds in a row."""
        rest, kept = p.clone(), torch.zeros_like(p, dtype=torch.bool)
        for n in range(p.shape[1]):
            wanting = ~enough(n, (p * kept).sum(dim=1))  # (B,)
            if not wanting.any():
                break
            best = rest.argmax(dim=1, keepdim=True)
            kept |= torch.zeros_like(kept).scatter(1, best, True) & wanting.unsqueeze(1)
            rest.scatter_(1, best, -1.0)
        p = p * kept
        return p / p.sum(dim=1, keepdim=True)

    scores = logits.double()
    p = torch.softmax((scores - scores.amax(dim=1, keepdim=True)) / temperature, dim=1)
    if top_k is not None:
        p = keep_most_likely(p, lambda n, mass: torch.full_like(mass, n >= top_k, dtype=torch.bool))
    if top_p is not None and top_p < 1:
        p = keep_most_likely(p, lambda n, mass: mass >= top_p)
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
    if count == 0:
        return tokens
    B, T = tokens.shape
    text = tokens.new_empty(B, T + count)
    text[:, :T] = tokens
    with torch.no_grad():
        for end in range(T, T + count):
            rows = model(text[:, max(0, end - max_length) : end].clone())
            p = sampling_distribution(rows[:, -1], temperature, top_k, top_p)
            # a race of exponential clocks: token v comes first with probability p[v]
            waiting = torch.empty_like(p).exponential_()
            text[:, end] = (p / waiting).argmax(dim=1)
    return text


# %% correct: ranks and searchsorted, a step of its own

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
    order = torch.sort(logits, dim=1, descending=True, stable=True).indices
    rank = order.argsort(dim=1)  # 0 for the most likely; of equals the first comes first
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    height = logits.double() - logits.amax(dim=1, keepdim=True).double()
    mass = (height / temperature).exp()
    mass = mass / mass.sum(dim=1, keepdim=True)
    if top_k is not None:
        mass = mass * (rank < top_k)
        mass = mass / mass.sum(dim=1, keepdim=True)
    if top_p is not None and top_p != 1:
        together = mass.gather(1, order).cumsum(dim=1)
        wanted = torch.full((len(mass), 1), float(top_p), dtype=together.dtype, device=mass.device)
        last = torch.searchsorted(together, wanted).clamp(max=size - 1)  # the first place that reaches top_p
        mass = mass * (rank <= last)
        mass = mass / mass.sum(dim=1, keepdim=True)
    return mass.to(logits.dtype)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    knobs = {"temperature": temperature, "top_k": top_k, "top_p": top_p}

    def write_on(text):
        recent = text[:, -min(max_length, text.shape[1]) :]
        chances = sampling_distribution(model(recent).select(1, -1), **knobs)
        return torch.hstack([text, chances.multinomial(1)])

    with torch.no_grad():
        written = tokens
        while written.shape[1] < tokens.shape[1] + count:
            written = write_on(written)
    return written
