# %% wrong: rows made to sum to one, after the softmax over queries
# The rows sum to one now, but each column was divided by a sum over all queries, later ones included, first: what stands
# after t still changes the weights at t. Any T from 3 on shows it (change the last query).

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the largest score of the sentence subtracted
# Softmax by hand, over the keys, but every row is lowered by the largest score of the whole matrix. A row whose scores lie
# more than about a hundred below it becomes 0 / 0, NaN: a query in the thousands at the end makes the earlier rows NaN.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    exponentials = torch.exp(scores - scores.amax(dim=(1, 2), keepdim=True))
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: rows filled into zeros of the default type
# Each row's softmax runs over its own past, which is right, but it is written into float32 zeros: with float64 inputs the
# weights are float32, and their product with a float64 value is an error.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    weights = torch.zeros(batch, length, length, device=query.device)
    for t in range(length):
        scores = (key[:, : t + 1] @ query[:, t].unsqueeze(2)).squeeze(2) / width**0.5
        weights[:, t, : t + 1] = torch.softmax(scores, dim=1)
    return weights @ value, weights


# %% wrong: the row's largest score, future keys included
# The maximum is taken before the mask. If a later key scores far higher than all allowed ones, their exponentials are all
# 0 and the row is 0 / 0, NaN: so what stands after t does change t. Shows with scores in the hundreds or thousands.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    exponentials = torch.exp(scores - scores.amax(dim=2, keepdim=True))
    exponentials = exponentials.masked_fill(later, 0.0)
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% correct: every prefix by itself

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    outputs, rows = [], []
    for t in range(length):
        past = slice(0, t + 1)
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, past])
        row = F.softmax(scores / math.sqrt(query.shape[2]), dim=1)
        outputs.append(torch.einsum("bs,bsv->bv", row, value[:, past]))
        rows.append(F.pad(row, (0, length - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)


# %% correct: the scores turned over, and normalized by a log-sum-exp

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    place = torch.arange(length, device=query.device)
    later = place.unsqueeze(1) > place  # (S, T): the key comes after the query
    scores = key @ query.mT / query.shape[2] ** 0.5  # (B, S, T)
    scores = scores.masked_fill(later, float("-inf"))
    log_total = torch.logsumexp(scores, dim=1, keepdim=True)
    weights = torch.exp(scores - log_total).mT
    return weights @ value, weights
