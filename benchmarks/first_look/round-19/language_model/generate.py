# %% wrong: a very small temperature in the place of 0
# Clamps the temperature at 1e-6 instead of treating 0 by itself: where two logits are equally the largest each gets
# one half, and top_k and top_p go on working; the first of equals has to get all.

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
        smallest = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = p.masked_fill(p < smallest, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        sorted_p, order = p.sort(dim=-1, descending=True)
        before = sorted_p.cumsum(dim=-1) - sorted_p
        sorted_p = sorted_p.masked_fill(before >= top_p, 0)
        p = torch.zeros_like(p).scatter(-1, order, sorted_p)
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


# %% wrong: top-p keeps all that are as likely as the last
# Finds the smallest probability in the nucleus and keeps every token that has at least this one. With four equal
# logits and top_p=0.5 all four stay instead of two.

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
    p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        kth = p.topk(min(top_k, p.shape[1]), dim=1).values[:, -1:]
        p = torch.where(p >= kth, p, torch.zeros_like(p))
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ranked = p.sort(dim=1, descending=True).values
        kept = (ranked.cumsum(dim=1) - ranked < top_p).sum(dim=1, keepdim=True)  # how many
        last = ranked.gather(1, kept - 1)
        p = torch.where(p >= last, p, torch.zeros_like(p))
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
        p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, num_samples=1)], dim=1)
    return tokens


# %% wrong: the beginning of the text is lost
# Crops tokens itself to the window and appends to what is left: once T + count is more than max_length + 1 the result
# no longer begins with the given tokens and is too short.

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
    if top_k is not None and top_k < p.shape[-1]:
        best = p.topk(top_k, dim=-1)
        p = torch.zeros_like(p).scatter(-1, best.indices, best.values)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ranked, order = p.sort(dim=-1, descending=True)
        ranked = torch.where(ranked.cumsum(dim=-1) - ranked < top_p, ranked, torch.zeros_like(ranked))
        p = torch.zeros_like(p).scatter(-1, order, ranked)
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
        tokens = tokens[:, -max_length:]  # no more than the model can read
        p = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: top-p measured before top-k
# Both masks come from the same distribution, so top_p counts probability that top_k has taken away already. With
# 0.4, 0.3, 0.2, 0.1, top_k=2 and top_p=0.55 both tokens stay; of 0.57 and 0.43 the first suffices.

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
    p, order = torch.softmax(logits / temperature, dim=1).sort(dim=1, descending=True)
    keep = torch.ones_like(p, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        keep &= p.cumsum(dim=1) - p < top_p
    p = p * keep
    p = p / p.sum(dim=1, keepdim=True)
    return torch.zeros_like(p).scatter(1, order, p)


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
        window = tokens[:, max(0, tokens.shape[1] - max_length) :]
        p = sampling_distribution(model(window)[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% correct: ranks by comparing all pairs, no sorting
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
    places = torch.arange(size, device=logits.device)
    # ahead[b, i, j]: token j comes before token i, being likelier, or as likely and further left
    mine, other = logits.unsqueeze(2), logits.unsqueeze(1)
    ahead = (other > mine) | ((other == mine) & (places < places.unsqueeze(1)))
    rank = ahead.sum(dim=2)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    below = (logits - logits.max(dim=1, keepdim=True).values).double() / temperature
    p = below.exp()
    if top_k is not None:
        p = p.masked_fill(rank >= top_k, 0)
    p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None and top_p < 1:
        before = (ahead * p.unsqueeze(1)).sum(dim=2)  # the probability of all that come before
        p = p.masked_fill(before >= top_p, 0)
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
    text = F.pad(tokens, (0, count))  # room for all that will be written
    with torch.no_grad():
        for end in range(given, given + count):
            rows = model(text[:, max(0, end - max_length) : end])
            p = sampling_distribution(rows[:, -1], temperature, top_k, top_p)
            text[:, end] = torch.multinomial(p, 1).squeeze(1)
    return text


# %% correct: plain Python for each row, and a draw by the running sum
def distribution_of_row(scores: list, temperature: float, top_k: int | None, top_p: float | None) -> list:
    order = sorted(range(len(scores)), key=lambda v: -scores[v])  # sorted keeps equals in their order
    if temperature == 0:
        weights = {order[0]: 1.0}
    else:
        weights = {v: math.exp((scores[v] - scores[order[0]]) / temperature) for v in order[:top_k]}
        if top_p is not None and top_p < 1:
            whole, reached, kept = math.fsum(weights.values()), 0.0, {}
            for v, weight in weights.items():
                kept[v] = weight
                reached += weight
                if reached >= top_p * whole:
                    break
            weights = kept
    whole = math.fsum(weights.values())
    return [weights.get(v, 0.0) / whole for v in range(len(scores))]


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    rows = [distribution_of_row(row, temperature, top_k, top_p) for row in logits.tolist()]
    return torch.tensor(rows, dtype=logits.dtype, device=logits.device)


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
            window = torch.stack(columns[-max_length:], dim=1)
            p = sampling_distribution(model(window)[:, -1, :], temperature, top_k, top_p)
            sums = p.double().cumsum(dim=1)
            sums = sums / sums[:, -1:]  # the last is exactly 1, and a draw is below
            draw = torch.rand(len(p), 1, dtype=torch.float64, device=p.device)
            columns.append((sums <= draw).sum(dim=1))  # a token without probability is never the first above
    return torch.stack(columns, dim=1)
