# %% wrong: temperature as a power of the probabilities
# p ** (1 / temperature), divided by its sum, is the same formula, but not in float32: at temperature 0.01 an even choice
# among ten underflows to 0 / 0 = NaN, and at temperature 100 logits (0, 200) lose the first token.

def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    p = logits.softmax(dim=1) ** (1 / temperature)
    p = p / p.sum(dim=1, keepdim=True)
    if top_k is not None and top_k < p.shape[1]:
        smallest = p.topk(top_k, dim=1).values[:, -1:]
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=1, descending=True, stable=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(1, order, ordered)
        p = p / p.sum(dim=1, keepdim=True)
    return p


@torch.no_grad()
def generate(
    model, tokens: Tensor, count: int, max_length: int, temperature: float = 1.0, top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    for _ in range(count):
        p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: top-p with the usual shifted mask, "above top_p"
# Removes what comes after the sum has gone ABOVE top_p. Where the sum meets top_p exactly, one token too many stays:
# probabilities 0.5, 0.25, 0.25 with top_p = 0.5 keep two tokens, not one.

def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, -torch.inf)
    if top_p is not None:
        sorted_logits, sorted_indices = torch.sort(logits, descending=True, dim=1, stable=True)
        cumulative = sorted_logits.softmax(dim=1).cumsum(dim=1)
        remove = cumulative > top_p
        remove[:, 1:] = remove[:, :-1].clone()
        remove[:, 0] = False
        remove = torch.zeros_like(remove).scatter(1, sorted_indices, remove)
        logits = logits.masked_fill(remove, -torch.inf)
    return logits.softmax(dim=1)


@torch.no_grad()
def generate(
    model, tokens: Tensor, count: int, max_length: int, temperature: float = 1.0, top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    for _ in range(count):
        p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: the text is cut to the window and never put together again
# tokens is overwritten with its last max_length tokens, so what was given first is lost. Shows where T + count is larger
# than max_length + 1: the result is not (B, T + count).

def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    p = (logits / temperature).softmax(dim=1)
    if top_k is not None and top_k < p.shape[1]:
        smallest = p.topk(top_k, dim=1).values[:, -1:]
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=1, descending=True, stable=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(1, order, ordered)
        p = p / p.sum(dim=1, keepdim=True)
    return p


@torch.no_grad()
def generate(
    model, tokens: Tensor, count: int, max_length: int, temperature: float = 1.0, top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    for _ in range(count):
        tokens = tokens[:, -max_length:]
        logits = model(tokens)[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: gradients switched off, and at the end on
# set_grad_enabled(True) at the end changes a setting of PyTorch where it was off before: a caller inside
# `with torch.no_grad()` has gradients again after the call (and stays without them if the model raises).

def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    p = (logits / temperature).softmax(dim=1)
    if top_k is not None and top_k < p.shape[1]:
        smallest = p.topk(top_k, dim=1).values[:, -1:]
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=1, descending=True, stable=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(1, order, ordered)
        p = p / p.sum(dim=1, keepdim=True)
    return p


def generate(
    model, tokens: Tensor, count: int, max_length: int, temperature: float = 1.0, top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    torch.set_grad_enabled(False)
    for _ in range(count):
        p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    torch.set_grad_enabled(True)
    return tokens


# %% correct: ranks, by sorting twice, and the mass of those ahead

def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    order = logits.argsort(dim=1, descending=True, stable=True)  # the lower number first among equals
    rank = order.argsort(dim=1)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    p = ((logits - logits.amax(dim=1, keepdim=True)) / temperature).exp()
    p = p / p.sum(dim=1, keepdim=True)
    if top_k is not None:
        p = p * (rank < top_k)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        mass_ahead = F.pad(p.gather(1, order).cumsum(dim=1), (1, 0))  # of the tokens before rank 0, 1, ...
        p = p * (mass_ahead.gather(1, rank) < top_p)
        p = p / p.sum(dim=1, keepdim=True)
    return p


def generate(
    model, tokens: Tensor, count: int, max_length: int, temperature: float = 1.0, top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    given = tokens.shape[1]
    text = torch.cat([tokens, tokens.new_zeros(len(tokens), count)], dim=1)
    with torch.no_grad():
        for end in range(given, given + count):
            logits = model(text[:, max(0, end - max_length) : end].clone())[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p)
            for b, row in enumerate(p):
                text[b, end] = torch.multinomial(row, 1)
    return text


# %% correct: takes the most likely token out again and again; draws by the inverse of the cumulated sum

def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")

    def keep(p: Tensor, weigh, enough: float) -> Tensor:
        """Take tokens, likeliest first, until those taken weigh enough together; the rest becomes 0."""
        taken = torch.zeros_like(p, dtype=torch.bool)
        weight = torch.zeros(len(p), 1, dtype=torch.float64, device=p.device)
        for _ in range(p.shape[1]):
            open_rows = weight < enough
            if not open_rows.any():
                break
            best = p.detach().masked_fill(taken, -1.0).argmax(dim=1, keepdim=True)
            weight = weight + torch.where(open_rows, weigh(p.detach().gather(1, best)), 0.0)
            taken = taken | torch.zeros_like(taken).scatter(1, best, open_rows)
        p = torch.where(taken, p, torch.zeros_like(p))
        return p / p.sum(dim=1, keepdim=True)

    if temperature == 0:
        return torch.zeros_like(logits).scatter(1, logits.argmax(dim=1, keepdim=True), 1.0)
    scaled = logits / temperature
    p = (scaled - scaled.logsumexp(dim=1, keepdim=True)).exp()
    if top_k is not None:
        p = keep(p, lambda x: torch.ones_like(x, dtype=torch.float64), top_k)
    if top_p is not None:
        p = keep(p, lambda x: x.double(), top_p)
    return p


def generate(
    model, tokens: Tensor, count: int, max_length: int, temperature: float = 1.0, top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    with torch.no_grad():
        for _ in range(count):
            last_row = model(tokens[:, -max_length:])[:, -1]
            p = sampling_distribution(last_row, temperature, top_k, top_p)
            heights = p.double().cumsum(dim=1)
            aim = torch.rand(len(p), 1, device=p.device).double() * heights[:, -1:]
            new = (heights <= aim).sum(dim=1, keepdim=True)
            tokens = torch.cat([tokens, new], dim=1)
    return tokens
