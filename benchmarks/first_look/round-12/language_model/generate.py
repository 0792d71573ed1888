# %% wrong: the token that reaches top_p is dropped
# Keeps the tokens whose cumulated probability is still at most top_p (and the first in any case). The one that reaches it
# should stay: 0.45, 0.30, 0.15, 0.06, 0.04 with top_p 0.7 keeps one token and not two.

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
    p = (logits / temperature).softmax(dim=-1)
    if top_k is not None:
        least = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = p.masked_fill(p < least, 0.0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        keep = ordered.cumsum(dim=-1) <= top_p
        keep[:, 0] = True
        p = torch.zeros_like(p).scatter(1, order, ordered * keep)
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
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: top_k tokens from fewer
# topk with the number as it was given: a top_k above V raises an error, where all tokens should be kept.

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
    p = (logits / temperature).softmax(dim=-1)
    if top_k is not None:
        values, places = p.topk(top_k, dim=-1)
        p = torch.zeros_like(p).scatter(1, places, values)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        keep = ordered.cumsum(dim=-1) - ordered < top_p
        p = torch.zeros_like(p).scatter(1, order, ordered * keep)
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
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: what has left the window is lost
# Cuts tokens itself to the last max_length and goes on with that. Once the text is longer than the window, its beginning is
# missing in what is returned: not (B, T + count), the given tokens not first.

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
    p = (logits / temperature).softmax(dim=-1)
    if top_k is not None:
        least = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = p.masked_fill(p < least, 0.0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        keep = ordered.cumsum(dim=-1) - ordered < top_p
        p = torch.zeros_like(p).scatter(1, order, ordered * keep)
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
            if tokens.shape[1] > max_length:
                tokens = tokens[:, -max_length:]
            p = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: top_p by a threshold
# Looks for the probability of the token that reaches top_p and keeps all that are as likely. Of equals only as many as needed
# should stay: four equal logits with top_p 0.5 keep all four and not two.

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
    p = (logits / temperature).softmax(dim=-1)
    if top_k is not None:
        least = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = torch.where(p >= least, p, 0.0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=-1, descending=True).values
        needed = (ordered.cumsum(dim=-1) - ordered < top_p).sum(dim=-1, keepdim=True)
        p = torch.where(p >= ordered.gather(1, needed - 1), p, 0.0)
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
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% correct: row by row from a sorted list

def distribution_of_row(row: Tensor, temperature: float, top_k: int, top_p: float | None) -> Tensor:
    if temperature == 0:
        best = max(range(len(row)), key=row.tolist().__getitem__)  # the first of equals
        return torch.zeros_like(row).index_fill(0, torch.tensor([best], device=row.device), 1.0)
    p = ((row - row.max()) / temperature).exp()
    p = p / p.sum()
    likely = sorted(range(len(p)), key=p.tolist().__getitem__, reverse=True)[:top_k]
    p = p * torch.isin(torch.arange(len(p), device=p.device), torch.tensor(likely, device=p.device))
    p = p / p.sum()
    if top_p is not None:
        shares, reached, kept = p.tolist(), 0.0, []
        for place in likely:
            if reached < top_p:
                kept.append(place)
            reached += shares[place]
        p = p * torch.isin(torch.arange(len(p), device=p.device), torch.tensor(kept, device=p.device))
        p = p / p.sum()
    return p


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    kept = logits.shape[1] if top_k is None else top_k
    return torch.stack([distribution_of_row(row, temperature, kept, top_p) for row in logits])


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if count > 1:  # a first half, and then the second
        settings = max_length, temperature, top_k, top_p
        return generate(model, generate(model, tokens, count // 2, *settings), count - count // 2, *settings)
    if count == 0:
        return tokens.clone()
    with torch.no_grad():
        begin = max(0, tokens.shape[1] - max_length)
        p = sampling_distribution(model(tokens[:, begin:])[:, -1], temperature, top_k, top_p)
        drawn = torch.distributions.Categorical(probs=p, validate_args=False).sample()
        return torch.hstack([tokens, drawn[:, None]])


# %% correct: ranks by comparing all pairs, a race of exponential clocks

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    place = torch.arange(logits.shape[1], device=logits.device)
    mine, other = logits.unsqueeze(2), logits.unsqueeze(1)
    before = (other > mine) | ((other == mine) & (place < place.unsqueeze(1)))  # (B, V, V)
    rank = before.sum(dim=2)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    p = torch.softmax((logits - logits.amax(dim=1, keepdim=True)) / temperature, dim=1)
    if top_k is not None:
        p = torch.where(rank < top_k, p, 0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        more_likely = (before * p.unsqueeze(1)).sum(dim=2)
        p = torch.where((more_likely < top_p) | (rank == 0), p, 0)
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
    batch, given = tokens.shape
    text = tokens.new_empty(batch, given + count)
    text[:, :given] = tokens
    with torch.no_grad():
        for end in range(given, given + count):
            logits = model(text[:, max(0, end - max_length) : end])[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p)
            # of clocks that ring at random, the fastest rings first with probability p
            text[:, end] = (p / torch.empty_like(p).exponential_()).argmax(dim=1)
    return text
