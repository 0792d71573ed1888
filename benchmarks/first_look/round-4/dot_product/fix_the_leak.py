# %% wrong: the rows are made to sum to one afterwards
# The softmax still runs over the queries, and the rows are then divided by their sums. They look right, but each weight was first divided by a sum over later queries, so the future still comes in.
# Hint: change the last position and look at the weights of the rows before it.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: masked after the softmax
# The softmax runs over the right axis, but over all the keys, and the later ones are set to zero afterwards. The rows do not sum to one, and what is missing depends on the future.
# Hint: sum the rows of your weights, and change the last key.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    weights = weights.masked_fill(later, 0.0)
    return weights @ value, weights


# %% wrong: a position does not see itself
# The axis is mended, but the mask was changed as well and forbids the diagonal too. Position 0 sees nothing, and its row of NaN is replaced by zeros.
# Hint: the exercise says that the mask is right. Which positions does the docstring let position t see?

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    not_before = torch.triu(ones, diagonal=0)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(not_before, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=2))
    return weights @ value, weights


# %% wrong: one softmax over the whole matrix
# The softmax runs over queries and keys together, so that the whole matrix sums to one instead of each row. Every weight is divided by a sum that has all positions in it.
# Hint: over which axis does one query share out its weight?

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores.flatten(1), dim=1).view_as(scores)
    return weights @ value, weights


# %% wrong: the scores are turned and the mask is not
# To keep dim=1 the scores are computed as key times query, so that axis 1 is the keys'. The mask is still laid out for queries in rows, and now forbids the past.
# Hint: after the change, what do rows and columns of the scores stand for, and what do those of the mask?

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1).transpose(1, 2)
    return weights @ value, weights


# %% correct: each position attends to its prefix alone

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, width = query.shape[1:]
    outputs, rows = [], []
    for t in range(length):
        past = slice(0, t + 1)
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, past]) / math.sqrt(width)
        row = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsv->bv", row, value[:, past]))
        rows.append(F.pad(row, (0, length - t - 1)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)


# %% correct: handed to the masked softmax with the causal mask

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    allowed = torch.ones(query.shape[1], query.shape[1], dtype=torch.bool, device=query.device).tril()
    scores = torch.baddbmm(
        torch.zeros(1, 1, 1, dtype=query.dtype, device=query.device),
        query,
        key.transpose(1, 2),
        alpha=query.shape[2] ** -0.5,
    )
    weights = masked_softmax(scores, allowed)
    return weights.bmm(value), weights
