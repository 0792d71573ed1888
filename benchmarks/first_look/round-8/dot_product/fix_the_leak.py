# %% wrong: the rows are made to sum to one afterwards
# Each weight is still divided by its column's sum, which knows the later queries, and then by its row's: the rows sum to one, and what
# stands after t still moves the weights at t and before.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: the softmax moved in front of the mask
# The softmax is over the keys now, but over all of them: the later keys are in the denominator, the rows sum to less than one, and
# a change after t moves every row but the last.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = weights.masked_fill(later, 0.0)
    return weights @ value, weights

# %% wrong: the position itself is hidden as well
# Suspects the diagonal: with diagonal=0 position t sees 0 to t - 1 only, and position 0, which sees nothing, gets zeros
# in place of its own value; its row does not sum to one.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=0)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2).nan_to_num(0.0)
    return weights @ value, weights

# %% wrong: the columns of the weights in the sum
# The weights are right, but the output is mixed with their transpose: output t is a sum over the positions t and later. Shows for T above
# 1 in the output alone.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2)
    return torch.einsum("bts,btv->bsv", weights, value), weights

# %% correct: the softmax over axis 1, of scores whose rows are the keys

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5  # (B, keys, queries)
    place = torch.arange(query.shape[1], device=query.device)
    scores = scores.masked_fill(place[:, None] > place, -torch.inf)
    weights = torch.softmax(scores, dim=1).transpose(1, 2)
    return weights @ value, weights

# %% correct: each position is given its past, and nothing else

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    outputs, rows = [], []
    for t in range(length):
        past_keys, past_values = key[:, : t + 1], value[:, : t + 1]
        scores = torch.einsum("bd,bsd->bs", query[:, t], past_keys) / math.sqrt(query.shape[2])
        shares = torch.softmax(scores, dim=1)
        outputs.append((shares.unsqueeze(2) * past_values).sum(dim=1))
        rows.append(F.pad(shares, (0, length - t - 1)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)
