# %% wrong: top-p over the sum before top-k was divided out
# After top_k the tokens that are left are not divided by their sum; that comes only at the very end. top_p then adds
# up shares of all tokens, reaches p later or never, and keeps more tokens than it should.
# Hint: probabilities 0.4, 0.3, 0.2, 0.1 with top_k=2 and top_p=0.5: what are the two shares after top_k?

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
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    places = torch.arange(logits.shape[-1], device=logits.device)
    if top_k is not None:
        ordered = ordered.masked_fill(places >= top_k, 0)
    if top_p is not None:
        before = F.pad(ordered.cumsum(dim=-1)[:, :-1], (1, 0))
        ordered = ordered.masked_fill(before >= top_p, 0)
    ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(1, order, ordered)


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


# %% wrong: the temperature applied last
# The tokens are chosen by top_k and top_p from the distribution at temperature 1, and what is left is sharpened or
# flattened afterwards. With a temperature other than 1, top_p keeps another number of tokens than it should.
# Hint: at temperature 0.5 a distribution is surer. Should top_p = 0.8 then keep as many tokens as at temperature 1?

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
    ordered, order = torch.softmax(logits, dim=-1).sort(dim=-1, descending=True, stable=True)
    if top_k is not None:
        ordered = ordered * (torch.arange(ordered.shape[-1], device=logits.device) < top_k)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = F.pad(ordered.cumsum(dim=-1)[:, :-1], (1, 0))
        ordered = ordered * (before < top_p)
    ordered = ordered ** (1 / temperature)
    ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(1, order, ordered)


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
        tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: the text cut to the window
# The window is written back into tokens, so whatever slides out of it is lost. As long as everything fits into
# max_length nothing shows; past it, fewer than T + count tokens come back and the beginning is missing.
# Hint: write more tokens than max_length and look at the shape of what you return.

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
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    places = torch.arange(logits.shape[-1], device=logits.device)
    if top_k is not None:
        ordered = ordered.masked_fill(places >= top_k, 0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = F.pad(ordered.cumsum(dim=-1)[:, :-1], (1, 0))
        ordered = ordered.masked_fill(before >= top_p, 0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(1, order, ordered)


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
            tokens = tokens[:, -max_length:]
            logits = model(tokens)
            new = torch.multinomial(sampling_distribution(logits[:, -1, :], temperature, top_k, top_p), num_samples=1)
            tokens = torch.cat((tokens, new), dim=1)
    return tokens


# %% wrong: temperature 0 as a very small temperature
# Temperature 0 is replaced by 0.000001, to avoid the division by zero. Where two logits are equal, each gets one half,
# though the first of equals should get all; writing with temperature 0 is then a matter of chance.
# Hint: what does your function return for the logits 1, 1, 0 at temperature 0?

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
    ordered, order = torch.sort(probabilities, dim=-1, descending=True, stable=True)
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = F.pad(ordered.cumsum(dim=-1)[:, :-1], (1, 0))
        ordered = torch.where(before < top_p, ordered, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(1, order, ordered)


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


# %% wrong: gradients switched off for good
# torch.set_grad_enabled(False) is called and never taken back. What is written is right, but whoever trains a model
# after a call of generate finds that nothing has a gradient any more.
# Hint: print torch.is_grad_enabled() before and after a call.

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
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
        ordered = ordered * keep / (ordered * keep).sum(dim=-1, keepdim=True)
    if top_p is not None:
        before = F.pad(ordered.cumsum(dim=-1)[:, :-1], (1, 0))
        keep = keep & (before < top_p)
        ordered = ordered * keep / (ordered * keep).sum(dim=-1, keepdim=True)
    return torch.zeros_like(ordered).scatter(1, order, ordered)


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
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% correct: ranks in place of a sorted copy, and a text made at full length

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
        share = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        share = ((logits - logits.amax(dim=1, keepdim=True)) / temperature).softmax(dim=1)
    order = torch.sort(share, dim=1, descending=True, stable=True).indices
    rank = order.argsort(dim=1)  # the place of each token in that order
    if top_k is not None:
        share = share * (rank < top_k)
        share = share / share.sum(dim=1, keepdim=True)
    if top_p is not None and top_p < 1:
        reached = share.gather(1, order).cumsum(dim=1)
        before = F.pad(reached[:, :-1], (1, 0)).gather(1, rank)
        share = share * (before < top_p)
        share = share / share.sum(dim=1, keepdim=True)
    return share


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
    text = torch.cat([tokens, tokens.new_zeros(batch, count)], dim=1)
    with torch.no_grad():
        for end in range(given, given + count):
            logits = model(text[:, max(0, end - max_length) : end])[:, -1]
            text[:, end] = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)[:, 0]
    return text


# %% correct: plain Python over the rows, and a list of columns

def kept_of_row(scores, temperature, top_k, top_p):
    largest = max(scores)
    if temperature == 0:
        return {scores.index(largest): 1.0}
    weights = [math.exp((score - largest) / temperature) for score in scores]
    kept = sorted(range(len(weights)), key=lambda i: -weights[i])[:top_k]  # None cuts nothing off
    if top_p is not None and top_p < 1:
        total, reached, nucleus = sum(weights[i] for i in kept), 0.0, []
        for i in kept:
            nucleus.append(i)
            reached += weights[i] / total
            if reached >= top_p:
                break
        kept = nucleus
    total = sum(weights[i] for i in kept)
    return {i: weights[i] / total for i in kept}


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    result = torch.zeros_like(logits, requires_grad=False)
    for row, scores in enumerate(logits.tolist()):
        for token, share in kept_of_row(scores, temperature, top_k, top_p).items():
            result[row, token] = share
    return result


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
    columns = list(tokens.split(1, dim=1))
    while len(columns) < tokens.shape[1] + count:
        logits = model(torch.cat(columns[-max_length:], dim=1))
        probabilities = sampling_distribution(logits[:, -1], temperature=temperature, top_k=top_k, top_p=top_p)
        columns.append(torch.multinomial(probabilities, 1))
    return torch.cat(columns, dim=1)
