# %% wrong: the nucleus is not put back into the vocabulary's order
# The mask of the nucleus is made for the sorted probabilities and used on the unsorted ones.
# Breaks "the fewest most likely ones": it keeps the FIRST tokens of the vocabulary, as many as the nucleus has. Hint: try it with logits that rise.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities from which the next token is drawn: logits (B, V) -> (B, V).

    In this order: softmax of the logits divided by the temperature, where 0 means that the
    largest logit gets all (the first of equals); top_k keeps the k most likely tokens, divided
    by their sum; top_p keeps, of these, the fewest most likely ones that together have at least
    probability top_p, again divided by their sum: the one that reaches it stays
    (Holtzman et al., 2020). None leaves a step out; a top_k above V keeps all tokens.
    Raises ValueError where temperature < 0, top_k < 1, or top_p is not in (0, 1].
    """
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        p = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    ordered, order = p.sort(dim=1, descending=True, stable=True)
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(dim=1, keepdim=True)
    p = torch.zeros_like(p).scatter(1, order, ordered)
    if top_p is not None:
        ordered = p.sort(dim=1, descending=True).values
        before = ordered.cumsum(dim=1) - ordered
        p = p.masked_fill(before >= top_p, 0)
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
    """Write on: draw a token, append it, read everything again.

    model: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length; tokens (B, T),
    one at least. Each of count times the model reads the last max_length tokens at most, and
    the next token is drawn from sampling_distribution of its last row of logits, with the
    settings given. Returns (B, T + count), the given tokens first. Gradients are off meanwhile.
    """
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1]
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: the first tokens are read, not the last
# generate gives the model tokens[:, :max_length]: once the window is full, it never sees what was written.
# Breaks "the model reads the last max_length tokens at most". Hint: which end of the text does the next token depend on?

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities from which the next token is drawn: logits (B, V) -> (B, V).

    In this order: softmax of the logits divided by the temperature, where 0 means that the
    largest logit gets all (the first of equals); top_k keeps the k most likely tokens, divided
    by their sum; top_p keeps, of these, the fewest most likely ones that together have at least
    probability top_p, again divided by their sum: the one that reaches it stays
    (Holtzman et al., 2020). None leaves a step out; a top_k above V keeps all tokens.
    Raises ValueError where temperature < 0, top_k < 1, or top_p is not in (0, 1].
    """
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        p = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    ordered, order = p.sort(dim=1, descending=True, stable=True)
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(dim=1, keepdim=True)
    if top_p is not None:
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0)
        ordered = ordered / ordered.sum(dim=1, keepdim=True)
    return torch.zeros_like(p).scatter(1, order, ordered)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Write on: draw a token, append it, read everything again.

    model: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length; tokens (B, T),
    one at least. Each of count times the model reads the last max_length tokens at most, and
    the next token is drawn from sampling_distribution of its last row of logits, with the
    settings given. Returns (B, T + count), the given tokens first. Gradients are off meanwhile.
    """
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, :max_length])[:, -1]
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: top_p before top_k
# The nucleus is taken of the whole distribution, and top_k of what it leaves.
# Breaks "In this order ... of these": after top_k the probabilities are larger, and fewer tokens reach p. It shows only where both are given. Hint: work 0.4, 0.3, 0.2, 0.1 out by hand with top_k = 2, top_p = 0.5.

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities from which the next token is drawn: logits (B, V) -> (B, V).

    In this order: softmax of the logits divided by the temperature, where 0 means that the
    largest logit gets all (the first of equals); top_k keeps the k most likely tokens, divided
    by their sum; top_p keeps, of these, the fewest most likely ones that together have at least
    probability top_p, again divided by their sum: the one that reaches it stays
    (Holtzman et al., 2020). None leaves a step out; a top_k above V keeps all tokens.
    Raises ValueError where temperature < 0, top_k < 1, or top_p is not in (0, 1].
    """
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        p = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    ordered, order = p.sort(dim=1, descending=True, stable=True)
    if top_p is not None:
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0)
        ordered = ordered / ordered.sum(dim=1, keepdim=True)
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(dim=1, keepdim=True)
    return torch.zeros_like(p).scatter(1, order, ordered)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Write on: draw a token, append it, read everything again.

    model: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length; tokens (B, T),
    one at least. Each of count times the model reads the last max_length tokens at most, and
    the next token is drawn from sampling_distribution of its last row of logits, with the
    settings given. Returns (B, T + count), the given tokens first. Gradients are off meanwhile.
    """
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1]
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% wrong: a top_k above V is an error
# topk is asked for top_k tokens even where the vocabulary has fewer, and PyTorch raises RuntimeError.
# Breaks "a top_k above V keeps all tokens". Hint: what does torch.topk do for k = 50 and eight logits?

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities from which the next token is drawn: logits (B, V) -> (B, V).

    In this order: softmax of the logits divided by the temperature, where 0 means that the
    largest logit gets all (the first of equals); top_k keeps the k most likely tokens, divided
    by their sum; top_p keeps, of these, the fewest most likely ones that together have at least
    probability top_p, again divided by their sum: the one that reaches it stays
    (Holtzman et al., 2020). None leaves a step out; a top_k above V keeps all tokens.
    Raises ValueError where temperature < 0, top_k < 1, or top_p is not in (0, 1].
    """
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    if temperature == 0:
        p = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        likely = p.topk(top_k, dim=1)
        p = torch.zeros_like(p).scatter(1, likely.indices, likely.values)
        p = p / p.sum(dim=1, keepdim=True)
    ordered, order = p.sort(dim=1, descending=True, stable=True)
    if top_p is not None:
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0)
        ordered = ordered / ordered.sum(dim=1, keepdim=True)
    return torch.zeros_like(p).scatter(1, order, ordered)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Write on: draw a token, append it, read everything again.

    model: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length; tokens (B, T),
    one at least. Each of count times the model reads the last max_length tokens at most, and
    the next token is drawn from sampling_distribution of its last row of logits, with the
    settings given. Returns (B, T + count), the given tokens first. Gradients are off meanwhile.
    """
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1]
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens


# %% correct: row by row, with Python's sort

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities from which the next token is drawn: logits (B, V) -> (B, V).

    In this order: softmax of the logits divided by the temperature, where 0 means that the
    largest logit gets all (the first of equals); top_k keeps the k most likely tokens, divided
    by their sum; top_p keeps, of these, the fewest most likely ones that together have at least
    probability top_p, again divided by their sum: the one that reaches it stays
    (Holtzman et al., 2020). None leaves a step out; a top_k above V keeps all tokens.
    Raises ValueError where temperature < 0, top_k < 1, or top_p is not in (0, 1].
    """
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    rows = []
    for row in logits:
        if temperature == 0:
            p = [0.0] * len(row)
            p[max(range(len(p)), key=row.tolist().__getitem__)] = 1.0
        else:
            p = torch.softmax(row.double() / temperature, dim=0).tolist()
        ranking = sorted(range(len(p)), key=p.__getitem__, reverse=True)  # stable: the first of equals first
        if top_k is not None:
            p = only(p, ranking[:top_k])
        if top_p is not None:
            together, kept = 0.0, []
            for v in ranking:
                kept.append(v)
                together += p[v]
                if together >= top_p - 1e-7 and top_p < 1:
                    break
            p = only(p, kept)
        rows.append(torch.tensor(p, dtype=logits.dtype, device=logits.device))
    return torch.stack(rows)


def only(p: list[float], kept: list[int]) -> list[float]:
    """The probabilities of the tokens kept, divided by their sum; 0 for all others."""
    total = sum(p[v] for v in kept)
    smaller = [0.0] * len(p)
    for v in kept:
        smaller[v] = p[v] / total
    return smaller


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Write on: draw a token, append it, read everything again.

    model: a function, tokens (B, T) -> logits (B, T, V), for T up to max_length; tokens (B, T),
    one at least. Each of count times the model reads the last max_length tokens at most, and
    the next token is drawn from sampling_distribution of its last row of logits, with the
    settings given. Returns (B, T + count), the given tokens first. Gradients are off meanwhile.
    """
    size, length = tokens.shape
    written = tokens.new_zeros(size, length + count)
    written[:, :length] = tokens
    with torch.no_grad():
        for end in range(length, length + count):
            logits = model(written[:, max(0, end - max_length) : end])
            p = sampling_distribution(logits[:, -1, :], temperature=temperature, top_k=top_k, top_p=top_p)
            written[:, end] = torch.multinomial(p, num_samples=1).squeeze(1)
    return written
