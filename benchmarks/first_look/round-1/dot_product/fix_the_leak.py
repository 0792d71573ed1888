# %% wrong: shared out twice
# The softmax stays over the queries, and the rows are made to sum to one afterwards: weights above the diagonal are zero, rows sum to one, and later queries still come in through the first divisor. A good message: "the rows sum to one now, and still the last toss moves the outputs before it".

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: forbidden weights set to zero afterwards
# The softmax is over the keys now, but over all of them; the later ones are zeroed after it: the rows do not sum to one, and what is missing tells of the future. A good message: "rows sum to less than one: mask the scores, then the softmax".

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    later = torch.triu(torch.ones(length, length, dtype=torch.bool, device=query.device), diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2).masked_fill(later, 0.0)
    return weights @ value, weights

# %% wrong: the mask made stricter
# Takes the own position for the leak too: diagonal=0. The first row allows nothing, and its NaN is turned into zeros, which do not sum to one. A good message: "position t sees 0 to t, itself included: the mask was right".

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(torch.triu(ones, diagonal=0), float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num()
    return weights @ value, weights

# %% wrong: the scores transposed
# To make dim=1 the keys' axis, the scores are transposed, and the weights are not turned back: row and column change places and the past sees the future. A good message: "weights below the diagonal are zero: row t belongs to query t".

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf")).transpose(1, 2)
    weights = torch.softmax(scores, dim=1)
    return weights @ value, weights

# %% correct: never looks further than the prefix

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], query.shape[2] ** 0.5
    outputs, rows = [], []
    for t in range(length):
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, : t + 1]) / root
        row = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsd->bd", row, value[:, : t + 1]))
        rows.append(F.pad(row, (0, length - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)

# %% correct: added mask of minus infinities, log-softmax

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.size(1)
    wall = torch.full((length, length), -torch.inf, dtype=query.dtype, device=query.device).triu(1)
    scores = torch.baddbmm(wall.expand(len(query), -1, -1), query, key.mT, alpha=query.size(2) ** -0.5)
    weights = F.log_softmax(scores, dim=-1).exp()
    return weights.bmm(value), weights
