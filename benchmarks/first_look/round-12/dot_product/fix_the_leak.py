# %% wrong: the rows made to sum to one afterwards
# The softmax still shares out each key among the queries, later ones too, and each row is then divided by its sum.
# Shows if a later position changes: the weights of earlier ones move, though every row sums to one.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: masked after the softmax
# The axis is mended, but the mask now zeroes weights that were shared out over later keys, too.
# Shows for T above 1: the first rows sum to less than one, and move with what comes later.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = weights.masked_fill(later, 0.0)
    return weights @ value, weights

# %% wrong: masked after the softmax, and shared out again
# In exact arithmetic this is right; but where a later score is hundreds above, all that is left of a row is 0, and 0/0.
# Shows for scores in the thousands: NaN in early rows.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[2])
    weights = torch.softmax(scores, dim=-1).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights

# %% wrong: a thousand below zero for minus infinity
# The axis is mended, and "to be safe from NaN" the fill is -1000, which real scores can lie below.
# Shows for scores in the thousands below zero: the weight goes to later keys.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, -1e3)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights

# %% correct: only the past is ever computed

# Position by position, with the keys and values up to it; zeros are laid behind the weights.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    outputs, rows = [], []
    for t in range(length):
        past_keys, past_values = key[:, : t + 1], value[:, : t + 1]
        scores = (past_keys @ query[:, t, :, None]).squeeze(2) / math.sqrt(query.shape[2])  # (B, t + 1)
        weights = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsv->bv", weights, past_values))
        rows.append(F.pad(weights, (0, length - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)

# %% correct: exponentials below the largest allowed score

# The shift is the running maximum's last value of each row's past, and the triangle is cut out before the sum.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("btd,bsd->bts", query * query.shape[2] ** -0.5, key)
    top = scores.detach().cummax(dim=2).values.diagonal(dim1=1, dim2=2)  # (B, T): over the keys 0 to t
    below = (scores - top.unsqueeze(2)).tril()  # later keys become 0 here, and go out in the next line
    exponentials = below.exp().tril()
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights
