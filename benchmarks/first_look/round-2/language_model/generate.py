# %% wrong: the one that crosses p is dropped
# Tokens are kept while their running sum is at most top_p: the one that reaches it goes, and where the first alone is above p nothing stays (0 / 0). A good message: "top_p = 0.5 with probabilities 0.6, 0.4: the first stays".

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
        best = p.topk(min(top_k, p.shape[1]), dim=1).indices
        p = p * torch.zeros_like(p).scatter(1, best, 1.0)
        p = p / p.sum(dim=1, keepdim=True)
    if top_p is not None:
        ordered, index = p.sort(dim=1, descending=True)
        ordered = ordered * (ordered.cumsum(dim=1) <= top_p)
        p = torch.zeros_like(p).scatter(1, index, ordered)
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
        logits = model(tokens[:, -max_length:])[:, -1]
        new = torch.multinomial(sampling_distribution(logits, temperature, top_k, top_p), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens

# %% wrong: by a threshold, and the start of the text is read
# top_k keeps everything that is not below the k-th logit, so equals come along, and temperature 0 gives equals a share each; and generate reads the FIRST max_length tokens, so that on a long text it always sees the same. A good message: "top_k = 2 keeps 3 of the equal tokens"; "the model must read the last max_length tokens".

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
        logits = torch.zeros_like(logits).masked_fill(logits < logits.amax(dim=1, keepdim=True), -math.inf)
    else:
        logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, logits.shape[1]), dim=1).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    p = logits.softmax(dim=1)
    if top_p is not None:
        ordered, index = p.sort(dim=1, descending=True, stable=True)
        keep = ordered.cumsum(dim=1) - ordered < top_p
        p = torch.zeros_like(p).scatter(1, index, ordered * keep)
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
            p = sampling_distribution(model(tokens[:, :max_length])[:, -1], temperature, top_k, top_p)
            tokens = torch.cat((tokens, p.multinomial(1)), dim=1)
    return tokens

# %% wrong: top-p before the division by top-k's sum
# Both cuts are made on the first softmax and divided once at the end: after top_k the kept probabilities do not sum to one, so top_p keeps too many. And what comes back from generate is the last window only. A good message: "probabilities 0.4, 0.3, 0.3 with top_k = 2 and top_p = 0.5: of the two kept the first has 0.57, enough by itself"; "the given tokens come first".

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
        return F.one_hot(logits.argmax(1), logits.shape[1]).to(logits)
    p, index = (logits / temperature).softmax(1).sort(dim=1, descending=True, stable=True)
    keep = torch.ones_like(p, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        keep &= p.cumsum(1) - p < top_p
    p = p * keep
    return torch.zeros_like(p).scatter_(1, index, p / p.sum(1, keepdim=True))


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
        p = sampling_distribution(model(tokens)[:, -1], temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.multinomial(p, num_samples=1)], dim=1)
    return tokens

# %% wrong: the same token for the whole batch, and temperature 0 by a small number
# Temperature 0 is replaced by 1e-8, so equal logits share; and one random number serves all rows: two rows that are alike get the same continuation for ever. A good message: "temperature 0: the first of two equal logits gets all"; "rows are to be drawn independently".

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")
    p = torch.softmax(logits / max(temperature, 1e-8), dim=-1)
    for limit, is_k in ((top_k, True), (top_p, False)):
        if limit is not None:
            ordered, index = p.sort(dim=-1, descending=True, stable=True)
            if is_k:
                ordered[:, limit:] = 0
            else:
                ordered = ordered * (ordered.cumsum(-1) - ordered < limit)
            p = torch.zeros_like(p).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))
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
        u = torch.rand(1, device=tokens.device).item()
        new = (p.cumsum(dim=1) <= u).sum(dim=1, keepdim=True).clamp(max=p.shape[1] - 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens

# %% correct: row by row, in sorted order

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")

    def of_row(row: Tensor) -> Tensor:
        if temperature == 0:
            p = torch.zeros_like(row)
            p[row.argmax()] = 1
            return p
        p = ((row - row.max()) / temperature).softmax(dim=0)
        order = p.argsort(descending=True, stable=True).tolist()
        if top_k is not None:
            order = order[:top_k]
            p = p / p[order].sum()
        if top_p is not None:
            total, kept = 0.0, []
            for v in order:
                if total >= top_p:
                    break
                kept.append(v)
                total += p[v].item()
            order = kept
            p = p / p[order].sum()
        result = torch.zeros_like(p)
        result[order] = p[order]
        return result

    return torch.stack([of_row(row) for row in logits])


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
    text = F.pad(tokens, (0, count))
    with torch.no_grad():
        for end in range(given, given + count):
            logits = model(text[:, max(0, end - max_length) : end])[:, -1]
            text[:, end] = sampling_distribution(logits, temperature, top_k, top_p).multinomial(1).squeeze(1)
    return text

# %% correct: cuts as factors, drawn by the inverse of the sum

def sampling_distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    fits_k, fits_p = top_k is None or top_k >= 1, top_p is None or 0 < top_p <= 1
    if temperature < 0 or not fits_k or not fits_p:
        raise ValueError(f"out of range: {temperature=}, {top_k=}, {top_p=}")

    def cut(p: Tensor, keep: Tensor) -> Tensor:
        p = p * keep
        return p / p.sum(dim=-1, keepdim=True)

    if temperature == 0:
        return torch.zeros_like(logits).scatter_(1, logits.argmax(dim=1, keepdim=True), 1.0)
    logits64 = logits.double()
    p, order = ((logits64 - logits64.amax(1, keepdim=True)) / temperature).softmax(dim=1).sort(dim=1, descending=True, stable=True)
    if top_k is not None:
        p = cut(p, torch.arange(p.shape[1], device=p.device) < top_k)
    if top_p is not None:
        p = cut(p, F.pad(p.cumsum(dim=1)[:, :-1], (1, 0)) < top_p)
    return p.gather(1, order.argsort(dim=1)).to(logits.dtype)


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
    columns = list(tokens.unbind(dim=1))
    for _ in range(count):
        logits = model(torch.stack(columns[-max_length:], dim=1))[:, -1, :]
        summed = sampling_distribution(logits, temperature, top_k, top_p).double().cumsum(dim=1)
        u = torch.rand(len(tokens), 1, dtype=torch.float64, device=tokens.device) * summed[:, -1:]
        columns.append(torch.searchsorted(summed, u, right=True).squeeze(1).to(tokens.dtype))
    return torch.stack(columns, dim=1)
