# %% wrong: probabilities left in sorted order
# After top-p the probabilities are not put back to their tokens: right for logits that fall from left to right, as in
# Figure 7.7, wrong for all others, e.g. logits [0, 2, 1] with top_p = 0.9.


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
    probabilities = (logits / temperature).softmax(dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        probabilities = probabilities * (probabilities >= least)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    if top_p is not None:
        probabilities = probabilities.sort(dim=1, descending=True).values
        before = probabilities.cumsum(dim=1) - probabilities
        probabilities = probabilities * (before < top_p)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
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


# %% wrong: dropped logits become zero
# Top-k sets the other logits to 0 instead of minus infinity, before the softmax: they keep a part of the probability, and
# with negative logits the dropped tokens are the likeliest. Wrong for every top_k below V.


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
        return torch.zeros_like(logits).scatter(1, logits.argmax(dim=1, keepdim=True), 1.0)
    logits = logits / temperature
    if top_k is not None and top_k < logits.shape[1]:
        kept = torch.zeros_like(logits, dtype=torch.bool).scatter(1, logits.topk(top_k, dim=1).indices, True)
        logits = logits * kept
    probabilities = logits.softmax(dim=1)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        ordered = ordered * (ordered.cumsum(dim=1) - ordered < top_p)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
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


# %% wrong: what is cut off for the model is gone from the text
# The loop cuts `tokens` itself down to the last max_length, so the beginning is lost: the result is too short where
# T + count is above max_length + 1.


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
    probabilities = (logits / temperature).softmax(dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < least, 0)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        ordered = ordered * (ordered.cumsum(dim=1) - ordered < top_p)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
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
        tokens = tokens[:, -max_length:]
        logits = model(tokens)[:, -1]
        probabilities = sampling_distribution(logits, temperature, top_k, top_p)
        new = torch.multinomial(probabilities, 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: one random number for all rows
# Draws by hand, comparing the cumulative probabilities with a single random number per step: rows with the same logits
# always get the same token. Wrong for B > 1, e.g. 100 equal rows.


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
    probabilities = (logits / temperature).softmax(dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < least, 0)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        ordered = ordered * (ordered.cumsum(dim=1) - ordered < top_p)
        probabilities = torch.zeros_like(probabilities).scatter(1, order, ordered)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
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
        probabilities = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        cumulative = probabilities.cumsum(dim=1)
        dart = torch.rand(1, dtype=cumulative.dtype, device=cumulative.device) * cumulative[:, -1:]
        new = (cumulative <= dart).sum(dim=1, keepdim=True).clamp(max=cumulative.shape[1] - 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% correct: ranks by comparing every token with every token, and a race of exponential clocks


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    index = torch.arange(logits.shape[1], device=logits.device)
    mine, other = logits.unsqueeze(2), logits.unsqueeze(1)
    # ahead[b, v, u]: u comes before v in the order of likelihood, the first of equals first
    ahead = (other > mine) | ((other == mine) & (index < index.unsqueeze(1)))
    rank = ahead.sum(dim=2)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    raised = ((logits - logits.amax(dim=1, keepdim=True)) / temperature).exp()
    p = raised / raised.sum(dim=1, keepdim=True)
    if top_k is not None:
        p = torch.where(rank < top_k, p, 0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None and top_p < 1:
        mass_ahead = torch.where(ahead, p.unsqueeze(1), 0).sum(dim=2)
        p = torch.where((rank == 0) | (mass_ahead < top_p), p, 0)
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
    pieces = [tokens]
    read = tokens[:, -max_length:]
    with torch.no_grad():
        while len(pieces) <= count:
            p = sampling_distribution(model(read)[:, -1], temperature, top_k, top_p)
            clocks = torch.empty_like(p).exponential_()
            first = (clocks / p).argmin(dim=1, keepdim=True)  # 1 / 0 is infinite: never the first
            pieces.append(first)
            read = torch.cat([read, first], dim=1)[:, -max_length:]
    return torch.cat(pieces, dim=1)


# %% correct: row by row in plain Python, into a buffer made beforehand


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
    for line in logits.detach():
        row = line.tolist()
        best_first = sorted(range(len(row)), key=lambda v: -row[v])  # stable: equals in their order
        if temperature == 0:
            rows.append([float(v == best_first[0]) for v in range(len(row))])
            continue
        soft = ((line - line.max()) / temperature).softmax(dim=0).tolist()
        p = {v: soft[v] for v in best_first}
        if top_k is not None:
            p = {v: p[v] for v in best_first[:top_k]}
        whole = math.fsum(p.values())
        p = {v: x / whole for v, x in p.items()}
        if top_p is not None and top_p < 1:
            kept, reached = {}, 0.0
            for v, x in p.items():
                kept[v] = x
                reached += x
                if reached >= top_p - 1e-12:
                    break
            p = {v: x / reached for v, x in kept.items()}
        rows.append([p.get(v, 0.0) for v in range(len(row))])
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
    B, T = tokens.shape
    text = tokens.new_zeros(B, T + count)
    text[:, :T] = tokens
    for t in range(T, T + count):
        logits = model(text[:, max(0, t - max_length) : t])[:, -1]
        probabilities = sampling_distribution(logits, temperature, top_k=top_k, top_p=top_p)
        for b in range(B):
            text[b, t] = torch.multinomial(probabilities[b], 1).item()
    return text
