# %% wrong: the rows are divided by their sums afterwards
# Half repaired: rows sum to one and nothing is above the diagonal, but each weight was first divided by a sum over all later
# queries. Change the last position, and the weights at positions before it move.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the largest score of the whole row is subtracted, the future's too
# Where a later key scores thousands above those of the past, all allowed exponentials are zero and the row is 0 / 0 = NaN.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    past = torch.tril(ones)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    exponentials = torch.exp(scores - scores.max(dim=2, keepdim=True).values) * past
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the future gets a score of minus a thousand
# The softmax runs over the keys now, but -1000 is not below everything: where the allowed scores are thousands below zero, the
# future gets all the weight.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, -1000.0)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights


# %% wrong: the scores are turned instead of the axis, and the mask is not
# With keys down and queries across, softmax over dim 1 is over the keys, but `later` still means (query, key): query t now sees
# the keys from t on. Any length above 1 shows it.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5  # (B, keys, queries)
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1).transpose(1, 2)
    return weights @ value, weights


# %% correct: one position at a time, over its past alone

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], query.shape[2] ** 0.5
    outputs, rows = [], []
    for t in range(length):
        known = slice(0, t + 1)
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, known]) / root
        row = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsd->bd", row, value[:, known]))
        rows.append(F.pad(row, (0, length - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)


# %% correct: the allowed pairs as a flat list

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    t, s = torch.tril_indices(length, length, device=query.device)  # every pair of a query and its past
    scores = (query[:, t] * key[:, s]).sum(dim=2) / math.sqrt(width)  # (B, pairs)
    owner = t.expand(batch, -1)
    lowest = torch.full((batch, length), -torch.inf, dtype=scores.dtype, device=scores.device)
    top = lowest.scatter_reduce(1, owner, scores.detach(), "amax")
    exponentials = torch.exp(scores - top.gather(1, owner))
    totals = torch.zeros_like(top).scatter_add(1, owner, exponentials)
    shares = exponentials / totals.gather(1, owner)
    flat = torch.zeros(batch, length * length, dtype=shares.dtype, device=shares.device)
    weights = flat.index_copy(1, t * length + s, shares).view(batch, length, length)
    return weights @ value, weights
