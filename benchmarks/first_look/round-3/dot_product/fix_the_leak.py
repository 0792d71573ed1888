# %% wrong: masked behind the softmax
# The softmax runs over all keys and the later weights are set to zero afterwards: rows do not sum to one, and the later keys are
# still in the denominator. Hint: what do the rows of your weights sum to?

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = weights.masked_fill(later, 0.0)
    return weights @ value, weights


# %% wrong: a column softmax, rows made to sum to one
# The softmax still runs over the queries; dividing by the row's sum afterwards makes the rows sum to one, but each weight has been
# divided by a column's sum, in which later queries stand. Hint: change the last token and look at the first rows of the weights.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: own position shut out
# The softmax is mended, and the mask, which was right, now shuts out the own position too: position t sees 0 to t - 1, and row 0
# sums to zero. Hint: the docstring says 0 to t; which key may query 0 see?

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong: the root of the values' width
# Written anew, with the scores divided by the root of d_v; right only where values are as wide as queries and keys.
# Hint: whose numbers are summed in a score?

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = value.shape
    allowed = torch.ones(length, length, dtype=torch.bool, device=value.device).tril()
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(width)
    weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), dim=-1)
    return torch.bmm(weights, value), weights


# %% correct: one prefix at a time

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    rows = []
    for t in range(length):
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, : t + 1]) / math.sqrt(query.shape[2])
        rows.append(F.pad(torch.softmax(scores, dim=1), (0, length - 1 - t)))
    weights = torch.stack(rows, dim=1)
    return torch.bmm(weights, value), weights


# %% correct: exponentials and sums by hand

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    place = torch.arange(query.shape[1], device=query.device)
    allowed = place[:, None] >= place[None, :]
    scores = torch.einsum("btd,bsd->bts", query, key) * query.shape[-1] ** -0.5
    scores = torch.where(allowed, scores, torch.full_like(scores, -torch.inf))
    exponentials = torch.exp(scores - scores.detach().amax(dim=-1, keepdim=True))
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return torch.einsum("bts,bsv->btv", weights, value), weights
