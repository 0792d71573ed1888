# %% wrong: temperature 0 as a very small one
# Divides by 1e-6 instead of choosing. It shows at temperature 0 where two logits tie for the
# largest: both get a half, and the first should get all.

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
    if top_k is not None and top_k < logits.shape[-1]:
        last = probabilities.topk(top_k, dim=-1).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < last, 0.0)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probabilities = torch.zeros_like(ordered).scatter(-1, order, ordered)
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

# %% wrong: all equals of the last one stay in the nucleus
# Top-p finds the last probability that is needed and keeps all that are as large. It shows for
# equal tokens, e.g. four logits of 0 with top_p 0.5: four are kept instead of two.

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
        least = p.topk(min(top_k, p.shape[-1]), dim=-1).values[:, -1:]
        p = torch.where(p >= least, p, 0.0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=-1, descending=True).values
        needed = (ordered.cumsum(dim=-1) - ordered < top_p).sum(dim=-1, keepdim=True)
        least = ordered.gather(-1, needed - 1)
        p = torch.where(p >= least, p, 0.0)
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
        drawn = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, drawn], dim=1)
    return tokens

# %% wrong: top-p counts in the probabilities from before top-k
# The mass is summed before what top_k kept is divided by its sum. It shows with both settings:
# probabilities .4 .3 .2 .1, top_k 2 and top_p .5 keep one token (.4 is .57 of the rest), here two.

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
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), size).to(logits.dtype)
    ordered, order = torch.softmax(logits / temperature, dim=1).sort(dim=1, descending=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep &= torch.arange(size, device=logits.device) < top_k
    if top_p is not None:
        keep &= ordered.cumsum(dim=1) - ordered < top_p
    kept = torch.where(keep, ordered, torch.zeros_like(ordered))
    kept = kept / kept.sum(dim=1, keepdim=True)
    return torch.zeros_like(kept).scatter(1, order, kept)


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
        drawn = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, drawn], dim=1)
    return tokens

# %% wrong: gradients stay off
# Turns gradients off for the whole of PyTorch and never on again. It shows after any call of
# generate: torch.is_grad_enabled() is False, and the next training step fails.

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
    ordered, order = probabilities.sort(dim=-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = 0.0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = ordered.cumsum(dim=-1) - ordered
        ordered = torch.where(before < top_p, ordered, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(-1, order, ordered)


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
    for _ in range(count):
        logits = model(tokens[:, -max_length:])[:, -1]
        probabilities = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens

# %% correct: no sorting, every token compared with every other; drawn by the inverse
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
    # (B, V, V): does the second token come before the first in the order of preference?
    before = (other > mine) | ((other == mine) & (place < place.unsqueeze(1)))
    rank = before.sum(dim=2)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    top = logits.amax(dim=1, keepdim=True)
    odds = torch.exp((logits - top) / temperature)
    if top_k is not None:
        odds = odds * (rank < top_k)
    chances = odds / odds.sum(dim=1, keepdim=True)
    if top_p is not None and top_p < 1:
        mass_before = (before * chances.unsqueeze(1)).sum(dim=2)
        chances = chances * (mass_before < top_p)
        chances = chances / chances.sum(dim=1, keepdim=True)
    return chances


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    start = tokens.shape[1]
    text = torch.cat([tokens, tokens.new_zeros(len(tokens), count)], dim=1)
    for end in range(start, start + count):
        with torch.no_grad():
            logits = model(text[:, max(0, end - max_length) : end].clone())[:, -1]
            chances = sampling_distribution(logits, temperature, top_k, top_p)
            upper = chances.double().cumsum(dim=1)
            dart = torch.rand(len(text), 1, dtype=torch.float64, device=upper.device)
            # the first token whose upper edge lies above the dart
            text[:, end] = (upper <= dart * upper[:, -1:]).sum(dim=1)
    return text

# %% correct: a row at a time in Python; an exponential race draws
import itertools


def one_row(row: Tensor, temperature: float, top_k: int | None, top_p: float | None) -> Tensor:
    """(V,) logits -> (V,) probabilities."""
    order = sorted(range(len(row)), key=row.tolist().__getitem__, reverse=True)
    if temperature == 0:
        order, scaled = order[:1], torch.zeros_like(row)
    else:
        order, scaled = order[:top_k], row / temperature
    share = torch.softmax(scaled[order], dim=0)
    if top_p is not None and top_p < 1:
        reached = itertools.accumulate(share.tolist())
        needed = next((i for i, mass in enumerate(reached, 1) if mass >= top_p), len(order))
        order = order[:needed]
        share = share[:needed] / share[:needed].sum()
    index = torch.tensor(order, device=row.device)
    return torch.zeros_like(row).index_add(0, index, share)


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    return torch.stack([one_row(row, temperature, top_k, top_p) for row in logits])


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
    written = [tokens]
    for _ in range(count):
        logits = model(torch.cat(written, dim=1)[:, -max_length:])[:, -1, :]
        chances = sampling_distribution(logits, temperature, top_k, top_p)
        # whoever arrives first, at a time drawn at the rate of its chance; never where that is 0
        waits = torch.empty_like(chances, dtype=torch.float64).exponential_() / chances
        winner = torch.where(chances > 0, waits, torch.inf).argmin(dim=1, keepdim=True)
        written.append(winner)
    return torch.cat(written, dim=1)
