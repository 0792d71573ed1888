# %% wrong: rows made to sum to one afterwards
# The softmax still runs down the columns, and its rows are divided by their sums: they sum to one, and the leak stays.
# Shows when the last query or key is changed: the weights of earlier rows move.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: the softmax before the mask
# The axis is right now, but the mask comes after the softmax: later keys are in the denominator all the same.
# Shows for T above 1: rows do not sum to one, and they move when the last key is changed.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2).masked_fill(later, 0.0)
    return weights @ value, weights

# %% wrong: nobody sees itself
# Suspects the mask as well and forbids the diagonal too; the first query may then attend to nothing.
# Shows for every input: row 0 is NaN, and the weights on the diagonal are zero.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=0)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights

# %% wrong: the largest score of the whole row
# A softmax by hand whose shift looks at later keys too: where one of them scores far higher, what is allowed underflows.
# Shows where a later key's score lies some hundreds above the allowed ones: 0/0, NaN in the rows before it.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    earlier = torch.ones(length, length, dtype=torch.bool, device=query.device).tril()
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    exponentials = torch.exp(scores - scores.amax(dim=2, keepdim=True)) * earlier
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% correct: a prefix for every position

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], query.shape[2] ** 0.5
    outputs, rows = [], []
    for t in range(length):
        seen = slice(0, t + 1)
        shares = torch.softmax((key[:, seen] * query[:, t : t + 1]).sum(dim=2) / root, dim=1)  # (B, t + 1)
        outputs.append((shares.unsqueeze(2) * value[:, seen]).sum(dim=1))
        rows.append(F.pad(shares, (0, length - t - 1)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)

# %% correct: the pairs that are allowed, and no others

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    B, T, d_k = query.shape
    t, s = torch.tril_indices(T, T, device=query.device)  # the T (T + 1) / 2 pairs, row after row
    scores = (query[:, t] * key[:, s]).sum(dim=2) / math.sqrt(d_k)  # (B, pairs)
    top = torch.stack([row.amax(dim=1) for row in scores.detach().split(list(range(1, T + 1)), dim=1)], dim=1)
    exponentials = torch.exp(scores - top[:, t])
    totals = torch.zeros_like(query[:, :, 0]).index_add(1, t, exponentials)
    shares = exponentials / totals[:, t]
    output = torch.zeros_like(value).index_add(1, t, shares.unsqueeze(2) * value[:, s])
    flat = shares.new_zeros(B, T * T).index_copy(1, t * T + s, shares)
    return output, flat.view(B, T, T)
