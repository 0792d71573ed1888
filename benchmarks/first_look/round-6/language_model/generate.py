# %% wrong: gradients are not turned off
# Everything is drawn as it should be, but the model is run with gradients on, and the graph of each call is built.

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
        p = torch.zeros_like(logits).scatter(1, logits.argmax(dim=1, keepdim=True), 1.0)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        values, places = p.topk(min(top_k, p.shape[1]), dim=1)
        p = torch.zeros_like(p).scatter(1, places, values)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, places = p.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(1, places, ordered)
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
    for _ in range(count):
        logits = model(tokens[:, -max_length:])[:, -1]
        p = sampling_distribution(logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: keeps all that are as likely as the last kept
# top_k compares with the k-th probability, so of equally likely tokens more than k stay.

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
        p = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        smallest = p.topk(min(top_k, p.shape[1]), dim=1).values[:, -1:]
        p = torch.where(p >= smallest, p, torch.zeros_like(p))
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, places = p.sort(dim=1, descending=True)
        keep = ordered.cumsum(dim=1) - ordered < top_p
        p = torch.zeros_like(p).scatter(1, places, ordered * keep)
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
    with torch.no_grad():
        for _ in range(count):
            p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: top_p before the division by the sum of the k
# The probabilities are divided by their sum only once, at the end: top_p is compared with shares of all V and keeps too many.

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
        p = F.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    ordered, places = p.sort(dim=1, descending=True, stable=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        keep &= ordered.cumsum(dim=1) - ordered < top_p
    ordered = ordered * keep
    ordered = ordered / ordered.sum(dim=1, keepdim=True)
    return torch.zeros_like(p).scatter(1, places, ordered)


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
            p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
            tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: reads the first tokens of the text
# Once the text is longer than max_length the model is given its first max_length tokens again and again and not the last.

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
        p = torch.zeros_like(logits).scatter(1, logits.argmax(dim=1, keepdim=True), 1.0)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        values, places = p.topk(min(top_k, p.shape[1]), dim=1)
        p = torch.zeros_like(p).scatter(1, places, values)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, places = p.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(1, places, ordered)
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
        window = tokens[:, :max_length]
        p = sampling_distribution(model(window)[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, 1)], dim=1)
    return tokens


# %% wrong: one draw for the whole batch
# The next token is drawn with item() from the first row and written to all rows, which works for a batch of one.

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
        p = torch.zeros_like(logits).scatter(1, logits.argmax(dim=1, keepdim=True), 1.0)
    else:
        p = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        values, places = p.topk(min(top_k, p.shape[1]), dim=1)
        p = torch.zeros_like(p).scatter(1, places, values)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, places = p.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        p = torch.zeros_like(p).scatter(1, places, ordered)
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
    with torch.no_grad():
        for _ in range(count):
            p = sampling_distribution(model(tokens[:, -max_length:])[:, -1], temperature, top_k, top_p)
            drawn = torch.multinomial(p[0], 1).item()
            tokens = F.pad(tokens, (0, 1), value=drawn)
    return tokens


# %% correct: row by row over a ranked list

def _one_row(row, temperature, top_k, top_p):
    ranked = sorted(range(len(row)), key=lambda v: -row[v].item())  # the first of equals stays first
    if temperature == 0:
        shares = torch.zeros_like(row)
        shares[ranked[0]] = 1.0
    else:
        shares = torch.softmax((row - row.max()) / temperature, dim=0)
    kept = ranked
    if top_k is not None:
        kept = kept[:top_k]
        shares = shares / shares[kept].sum()
    if top_p is not None and top_p < 1:
        together, nucleus = torch.zeros_like(shares[0]), []
        for v in kept:
            nucleus.append(v)
            together = together + shares[v]
            if together >= top_p:
                break
        kept = nucleus
    result = torch.zeros_like(shares)
    result[kept] = shares[kept] / shares[kept].sum()
    return result


def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    return torch.stack([_one_row(row, temperature, top_k, top_p) for row in logits])


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    text = tokens
    with torch.no_grad():
        while text.shape[1] < tokens.shape[1] + count:
            start = max(0, text.shape[1] - max_length)
            rows = model(text[:, start:])[:, -1, :]
            chances = sampling_distribution(rows, temperature, top_k, top_p)
            text = torch.cat((text, chances.multinomial(num_samples=1)), dim=1)
    return text


# %% correct: logits cut to minus infinity, writes into a buffer

def _cut(logits, stay_in_order, order):
    stay = torch.zeros_like(stay_in_order).scatter(1, order, stay_in_order)
    return logits.masked_fill(~stay, float("-inf"))


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
    order = logits.argsort(dim=1, descending=True, stable=True)
    rank = torch.arange(size, device=logits.device).expand(len(logits), size)
    if temperature == 0:
        logits = _cut(torch.zeros_like(logits), rank < 1, order)
    else:
        logits = (logits - logits.amax(dim=1, keepdim=True)) / temperature
    if top_k is not None:
        logits = _cut(logits, rank < top_k, order)
    if top_p is not None and top_p < 1:
        in_order = logits.softmax(dim=1).gather(1, order).cumsum(dim=1)
        so_far = F.pad(in_order[:, :-1], (1, 0))
        logits = _cut(logits, so_far < top_p, order)
    return logits.softmax(dim=1)


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
    page = torch.cat([tokens, tokens.new_zeros(batch, count)], dim=1)
    settings = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    with torch.no_grad():
        for end in range(given, given + count):
            read = page[:, max(end - max_length, 0) : end].clone()
            p = sampling_distribution(model(read)[:, -1], **settings)
            page[:, end] = torch.multinomial(p, 1)[:, 0]
    return page
