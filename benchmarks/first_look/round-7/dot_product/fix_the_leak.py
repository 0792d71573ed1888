# %% wrong: rows made to sum to one afterwards
# The softmax still runs over the queries and the rows are divided by their sums: they sum to one, and each weight is still
# divided by a total of later queries. Shows when the last position is changed and earlier weights move.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the diagonal forbidden too
# Besides the axis, diagonal=1 was "mended" to 0: a position no longer sees itself, and position 0 sees nothing, which is NaN.
# Shows for every input.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=0)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: forbidden scores set to zero
# tril puts zeros where minus infinity belongs, and exp(0) is one: later keys get weight. Shows for every T above 1.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores.tril(), dim=2)
    return weights @ value, weights


# %% wrong: softmax over all keys, then masked and renormalised
# Right in exact arithmetic, but what is allowed can underflow beside a later key with a score some hundreds higher: 0 / 0 at an
# earlier position. Shows where a later key is made a few hundred times as long.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = weights.masked_fill(later, 0.0)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% correct: keys in front, dim=1 kept

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    place = torch.arange(length, device=query.device)
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5  # (B, keys, queries)
    scores = scores.masked_fill(place.unsqueeze(1) > place, float("-inf"))
    weights = torch.softmax(scores, dim=1).transpose(1, 2)
    return weights @ value, weights


# %% correct: a prefix for each position

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    weights = query.new_zeros(batch, length, length)
    output = value.new_zeros(value.shape)
    for t in range(length):
        seen = slice(0, t + 1)
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, seen]) / math.sqrt(width)
        shares = torch.softmax(scores, dim=1)
        weights[:, t, seen] = shares
        output[:, t] = torch.einsum("bs,bsv->bv", shares, value[:, seen])
    return output, weights
