# %% wrong: still over the queries, rows divided afterwards
# The softmax runs over the queries as before, and then each row is divided by its sum. The rows sum to one, but the later
# queries are still in the sums of the columns: change the last position of (1, 5, d), and earlier outputs move.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: a fill that scores can undercut
# -10,000 is not below every score: where those of a row lie at -30,000, the future gets all the weight. Shows for queries
# and keys that give such scores, such as 300 and -300 in all of 1 feature, for T of 2 or more.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, -1e4)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: the row's largest score, taken before the mask
# The largest score may be a later key's. Where it is hundreds above the allowed ones, these underflow, and the row is
# 0 / 0: NaN. So the future matters. Shows for a key at the last position that is 1,000 times the others.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores - scores.amax(dim=2, keepdim=True)  # against overflow
    exponentials = torch.exp(scores).masked_fill(later, 0.0)
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: each row's past into a float32 table
# The weights are collected in torch.zeros without a dtype. With query, key and value in float64 the weights are float32,
# and the product with the values is an error.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    scores = query @ key.transpose(1, 2) / width**0.5
    weights = torch.zeros(batch, length, length, device=query.device)
    for t in range(length):
        weights[:, t, : t + 1] = torch.softmax(scores[:, t, : t + 1], dim=1)
    return weights @ value, weights


# %% correct: one position at a time, on a past that grows
def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    outputs, weights = [], []
    for t in range(length):
        past_keys, past_values = key[:, : t + 1], value[:, : t + 1]
        scores = (past_keys * query[:, t : t + 1]).sum(dim=2) / query.shape[2] ** 0.5
        shares = torch.softmax(scores, dim=1)  # (B, t + 1)
        outputs.append((shares.unsqueeze(2) * past_values).sum(dim=1))
        weights.append(F.pad(shares, (0, length - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


# %% correct: only the pairs of the lower triangle
def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    t, s = torch.tril_indices(length, length, device=query.device)
    scores = (query[:, t] * key[:, s]).sum(dim=2) / math.sqrt(width)  # (B, pairs)
    owner = t.expand(batch, -1)
    top = scores.new_full((batch, length), -torch.inf)
    top = top.scatter_reduce(1, owner, scores.detach(), reduce="amax")
    exponentials = (scores - top.gather(1, owner)).exp()
    totals = torch.zeros_like(top).scatter_add(1, owner, exponentials)
    shares = exponentials / totals.gather(1, owner)
    weights = scores.new_zeros(batch, length * length).index_copy(1, t * length + s, shares)
    output = torch.zeros_like(value).index_add(1, t, shares.unsqueeze(2) * value[:, s])
    return output, weights.unflatten(1, (length, length))
