# %% wrong: rows made to sum to one afterwards
# The softmax still runs over the queries; the rows are only divided by their sums. They sum to one, but each weight still has the
# later queries in its denominator: change the last position, and earlier outputs move.

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
# The softmax over all keys, the future set to zero, the rest divided by its sum: right for small scores. Where a later key's score is
# hundreds above the earlier ones, those round to zero, and the row is 0 / 0, NaN.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2).masked_fill(later, 0.0)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: a fill of -1000
# "Minus infinity makes NaN", so the future gets a score of -1000. Where the allowed scores lie thousands below zero, the future is
# the largest and gets all the weight.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, -1e3)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights

# %% wrong: exponentials by hand
# The sum is mended by writing the softmax out over dim=2, but without subtracting the largest score: scores of more than 88
# overflow, and the weights are NaN.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    exponentials = scores.masked_fill(later, float("-inf")).exp()
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% correct: every position over its own past

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], query.shape[2] ** 0.5
    outputs, rows = [], []
    for t in range(length):
        past = slice(0, t + 1)
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, past]) / root
        shares = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsv->bv", shares, value[:, past]))
        rows.append(F.pad(shares, (0, length - t - 1)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)

# %% correct: key by key, each handed to the queries from it on

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], query.shape[2] ** 0.5
    columns = []
    for s in range(length):
        heard = (query[:, s:] * key[:, s : s + 1]).sum(dim=2) / root  # (B, T - s)
        columns.append(F.pad(heard, (s, 0), value=float("-inf")))
    scores = torch.stack(columns, dim=2)
    exponentials = torch.exp(scores - scores.amax(dim=2, keepdim=True))
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    output = torch.zeros_like(value)
    for s in range(length):
        given = weights[:, s:, s : s + 1] * value[:, s : s + 1]  # (B, T - s, d_v)
        output = output + F.pad(given, (0, 0, s, 0))
    return output, weights
