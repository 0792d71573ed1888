# %% wrong: top_p counts probabilities that top_k has cut
# After top_k the rest is not divided by its sum before top_p: it is compared with the old
# probabilities. With both settings too many tokens stay, all k where they have less than top_p.

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
    probabilities = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1])).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < least, 0)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        probabilities = torch.zeros_like(ordered).scatter(1, order, ordered * (before < top_p))
    return probabilities / probabilities.sum(dim=1, keepdim=True)


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
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: the first place where the sum reaches top_p, by argmax
# Where rounding keeps the sum below top_p (top_p = 1 and a sum of 0.99999994), no place is True,
# argmax says 0, and only the most likely token is left. Needs many tokens and top_p = 1 to show.

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
    probabilities = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1])).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < least, 0)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        last = (ordered.cumsum(dim=1) >= top_p).int().argmax(dim=1, keepdim=True)
        kept = torch.arange(logits.shape[1], device=logits.device) <= last
        probabilities = torch.zeros_like(ordered).scatter(1, order, ordered * kept)
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
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: minus infinity written into the caller's logits
# At temperature 1 no new tensor is made, and top_k writes into the argument. The probabilities are
# right, but the logits that were passed have changed: a second call with a larger k differs.

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
    if temperature != 1:
        logits = logits / temperature
    if top_k is not None:
        least = logits.topk(min(top_k, logits.shape[1])).values[:, -1:]
        logits[logits < least] = float("-inf")
    probabilities = torch.softmax(logits, dim=1)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        probabilities = torch.zeros_like(ordered).scatter(1, order, ordered * (before < top_p))
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
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% wrong: what is read is cut off, and stays cut off
# The tokens themselves are shortened to the last max_length before each reading. Once the text is
# longer than the window the result lacks its beginning: fewer than T + count columns.

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
    probabilities = torch.softmax(logits / temperature, dim=1)
    if top_k is not None:
        least = probabilities.topk(min(top_k, logits.shape[1])).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < least, 0)
        probabilities = probabilities / probabilities.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=1, descending=True)
        before = ordered.cumsum(dim=1) - ordered
        probabilities = torch.zeros_like(ordered).scatter(1, order, ordered * (before < top_p))
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
        if tokens.shape[1] > max_length:
            tokens = tokens[:, -max_length:]
        logits = model(tokens)[:, -1]
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


# %% correct: no sorting, each token is compared with every other; drawn by an exponential race

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
    largest = logits.amax(dim=1, keepdim=True)
    if temperature == 0:
        first = torch.where(logits == largest, place, logits.shape[1]).amin(dim=1, keepdim=True)
        return (place == first).to(logits.dtype)
    p = ((logits - largest) / temperature).softmax(dim=1)
    # ahead[b, i, j]: token j comes before token i, the likelier first and of equals the earlier
    ahead = (p[:, None, :] > p[:, :, None]) | (
        (p[:, None, :] == p[:, :, None]) & (place[None, :] < place[:, None])
    )
    if top_k is not None:
        p = p * (ahead.sum(dim=2) < top_k)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        p = p * ((ahead.to(p.dtype) * p[:, None, :]).sum(dim=2) < top_p)
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
    text = torch.cat([tokens, tokens.new_zeros(len(tokens), count)], dim=1)
    with torch.no_grad():
        for end in range(tokens.shape[1], text.shape[1]):
            logits = model(text[:, max(0, end - max_length) : end])[:, -1]
            p = sampling_distribution(logits, temperature, top_k, top_p).double()
            # the first to ring, of clocks with these rates
            text[:, end] = (p / torch.empty_like(p).exponential_()).argmax(dim=1)
    return text


# %% correct: a Python loop over the rows, drawn by inverting the sums

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
    for row in logits.unbind(0):
        size = row.numel()
        if temperature == 0:
            chosen = max(range(size), key=lambda i: (row[i].item(), -i))
            rows.append(F.one_hot(row.new_tensor(chosen, dtype=torch.long), size).to(row.dtype))
            continue
        p = torch.softmax((row - row.max()) / temperature, dim=0)
        order = sorted(range(size), key=p.tolist().__getitem__, reverse=True)
        for step in ("k", "p"):
            kept = order
            if step == "k" and top_k is not None:
                kept = order[:top_k]
            if step == "p" and top_p is not None:
                kept, reached = [], 0.0
                for i in order:
                    if reached >= top_p:
                        break
                    kept.append(i)
                    reached += p[i].item()
            if len(kept) < size:
                cut = torch.zeros_like(p)
                cut[kept] = p[kept]
                p = cut / cut.sum()
        rows.append(p)
    return torch.stack(rows)


def generate(
    model,
    tokens: Tensor,
    count: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    columns = list(tokens.unbind(1))
    with torch.no_grad():
        while len(columns) < tokens.shape[1] + count:
            window = torch.stack(columns[-max_length:], dim=1)
            p = sampling_distribution(model(window)[:, -1], temperature, top_k, top_p)
            sums = p.double().cumsum(dim=1)
            drawn = torch.rand(len(p), 1, dtype=torch.double, device=p.device) * sums[:, -1:]
            columns.append((sums <= drawn).sum(dim=1).to(tokens.dtype))
    return torch.stack(columns, dim=1)
