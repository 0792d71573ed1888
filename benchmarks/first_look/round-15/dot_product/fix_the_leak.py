# %% wrong: the rows are made to sum to one afterwards
# The softmax over queries stays, and its rows are divided by their sums. What each column was divided by still holds the
# later queries, so a change of the last position moves the weights of all rows but the first.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: a finite number for what is forbidden
# -1000 is not below every score: where the allowed scores of a row are thousands below zero, the forbidden keys win and the
# future is seen.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, -1e3)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights

# %% wrong: a softmax by hand with one maximum for each sentence
# The largest score of the whole sentence is subtracted, later ones included. A large score at a late position underflows
# the exponentials of the rows before it, which become NaN: a leak, for scores some hundreds apart.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    exponentials = torch.exp(scores - scores.amax(dim=(1, 2), keepdim=True))
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: a softmax over all keys, then the mask
# The rows of the full softmax are masked and divided by their sums. Where a later score is some hundreds above the allowed ones
# these have underflowed: 0 / 0, NaN. For small scores the result is right.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = weights.masked_fill(later, 0.0)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% correct: each position gets only its past

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], query.shape[2] ** 0.5
    outputs, rows = [], []
    for t in range(length):
        past = slice(0, t + 1)
        shares = torch.softmax((key[:, past] * query[:, t : t + 1]).sum(dim=2) / root, dim=1)  # (B, t + 1)
        outputs.append(torch.einsum("bs,bsv->bv", shares, value[:, past]))
        rows.append(F.pad(shares, (0, length - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)

# %% correct: the logarithm of the mask is added, and the row's log-sum taken off

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    allowed = torch.tril(query.new_ones(length, length))
    scores = torch.baddbmm(allowed.log().expand(len(query), -1, -1), query, key.mT, alpha=query.shape[2] ** -0.5)
    weights = torch.exp(scores - torch.logsumexp(scores, dim=2, keepdim=True))
    return torch.bmm(weights, value), weights
