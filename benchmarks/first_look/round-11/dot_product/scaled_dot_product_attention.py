# %% wrong: mask gets an axis for the queries, as in chapter 02
# A mask of two axes is taken for (B, S) and becomes (B, 1, S). It shows for a mask (T, S), the
# causal one for instance, with a batch in front: ValueError, or with B = T the wrong row of it.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None and mask.dim() == 2 and scores.dim() > 2:
        mask = mask.unsqueeze(1)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights

# %% wrong: one largest score for the whole batch
# Shifts all exponentials by the largest score of the whole tensor instead of the row's. It shows
# where one row's scores are some hundreds above another's: the lower row gets zeros, not weights.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    exponentials = torch.exp(scores - scores.max().detach())
    if mask is not None:
        exponentials = exponentials.masked_fill(~mask, 0.0)
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / torch.where(total == 0, torch.ones_like(total), total)
    return weights @ value, weights

# %% wrong: minus infinity is added, the NaN put right afterwards
# The outputs are right, but where a row's mask allows nothing the gradient of query and key is NaN
# instead of zero: it flows back through the addition. A mask with one row all False.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.transpose(-1, -2) / math.sqrt(key.shape[-1])
    if mask is not None:
        forbidden = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
        scores = scores + forbidden
    weights = torch.softmax(scores, dim=-1).nan_to_num(nan=0.0)
    return weights @ value, weights

# %% wrong: query divided in place
# Saves a tensor by `query /= ...`, and so changes the caller's query; in self-attention, where key
# and value are the same tensor, it changes these too. Any d_k above 1.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    query /= math.sqrt(query.shape[-1])
    weights = masked_softmax(query @ key.transpose(-2, -1), mask)
    return weights @ value, weights

# %% correct: one key after another, the largest score first
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    root = math.sqrt(query.shape[-1])
    num_keys = key.shape[-2]
    if mask is None:
        mask = torch.ones(1, 1, dtype=torch.bool, device=query.device)
    mask = mask.expand(*query.shape[:-1], num_keys)
    columns = []
    for s in range(num_keys):
        one = (query * key[..., s : s + 1, :]).sum(dim=-1) / root
        columns.append(torch.where(mask[..., s], one, torch.zeros_like(one)))
    # the largest allowed score so far, then the exponentials relative to it
    top = torch.full_like(columns[0], -torch.inf)
    for s, one in enumerate(columns):
        top = torch.where(mask[..., s], torch.maximum(top, one.detach()), top)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top).detach()
    total = torch.zeros_like(top)
    parts = []
    for s, one in enumerate(columns):
        shifted = torch.where(mask[..., s], one - top, torch.zeros_like(one))
        part = torch.exp(shifted) * mask[..., s]
        parts.append(part)
        total = total + part
    total = total + (total == 0)
    weights = torch.stack([part / total for part in parts], dim=-1)
    output = sum(
        weights[..., s].unsqueeze(-1) * value[..., s, :].unsqueeze(-2) for s in range(num_keys)
    )
    return output, weights

# %% correct: leading axes flattened, one sequence at a time, einsum
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    lead, (length, width), num_keys = query.shape[:-2], query.shape[-2:], key.shape[-2]
    shape = (*lead, length, num_keys)
    allowed = torch.ones((), dtype=torch.bool, device=query.device) if mask is None else mask
    allowed = allowed.expand(shape).reshape(-1, length, num_keys)
    queries = query.reshape(-1, length, width)
    keys = key.reshape(-1, num_keys, width)
    values = value.reshape(-1, num_keys, value.shape[-1])
    outputs, weights = [], []
    for q, k, v, may in zip(queries, keys, values, allowed, strict=True):
        scores = torch.einsum("td,sd->ts", q * width**-0.5, k)
        share = torch.softmax(scores.masked_fill(~may, torch.finfo(q.dtype).min), dim=1) * may
        weights.append(share)
        outputs.append(torch.einsum("ts,sd->td", share, v))
    return (
        torch.stack(outputs).reshape(*lead, length, value.shape[-1]),
        torch.stack(weights).reshape(shape),
    )
