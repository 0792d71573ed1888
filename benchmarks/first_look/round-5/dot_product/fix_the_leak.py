# %% wrong: the columns first, then the rows
# The softmax over the queries stays, and its rows are divided by their sums: they sum to one, but each weight has still
# been divided by a sum over later queries, and the leak is there.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the future is cut off after the softmax
# The softmax goes over all keys, and its upper triangle is set to zero afterwards: the rows do not sum to one, and what
# they were divided by knows the later keys.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = torch.tril(weights)
    return weights @ value, weights


# %% wrong: its own place is hidden as well
# To be safe the diagonal is masked too, and the NaN of the first row made zero: position t does not see itself, and the
# first row does not sum to one.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong: a maximum that knows the future
# The exponentials are taken relative to the largest score of all, later keys and queries included: if a later score is
# large, the early rows underflow to zero over zero.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    exponentials = torch.exp(scores - scores.amax(dim=(1, 2), keepdim=True))
    now_or_before = torch.ones(length, length, device=query.device, dtype=query.dtype).tril()
    exponentials = exponentials * now_or_before
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the scores are turned and the mask is not
# To make axis 1 the right one the scores are computed as keys by queries; the mask still is queries by keys, so that
# every position sees itself and what comes after it.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1).transpose(1, 2)
    return weights @ value, weights


# %% correct: a growing list of keys, query by query

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    weights = torch.zeros(batch, length, length, dtype=query.dtype, device=query.device)
    for t in range(length):
        known = key[:, : t + 1]  # (B, t + 1, d_k)
        scores = (known * query[:, t : t + 1]).sum(dim=2) / math.sqrt(width)
        weights[:, t, : t + 1] = scores.softmax(dim=1)
    return torch.einsum("bts,bse->bte", weights, value), weights


# %% correct: log weights, keys by queries

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    place = torch.arange(query.shape[1], device=query.device)
    hidden = place[:, None] > place[None, :]  # rows are keys here, columns are queries
    scores = torch.einsum("bsd,btd->bst", key, query) * query.shape[2] ** -0.5
    scores = torch.where(hidden, -torch.inf, scores)
    log_weights = scores - scores.logsumexp(dim=1, keepdim=True)
    weights = log_weights.exp().transpose(1, 2)
    return weights @ value, weights
