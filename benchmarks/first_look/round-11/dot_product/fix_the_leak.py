# %% wrong: the rows are made to sum to one afterwards
# softmax still runs over the queries, then each row is divided by its sum. The sums look right, but
# later queries still stand in the denominators: change the last position, and earlier rows move.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: minus a thousand instead of minus infinity
# The fill is not below every score. It shows where allowed scores are thousands below zero: then
# the later positions get all of the weight.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, -1e3)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights

# %% wrong: the future is taken out after the softmax
# Softmax over all keys, then the later ones are cut off and the rest divided by its sum. Where a
# later score is a few hundred above the allowed ones, these have become 0, and 0 / 0 is NaN.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2).tril()
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights

# %% wrong: the output is mended, the weights are returned as found
# A second softmax for the output; the weights that go back are still those over the queries. It
# shows for every T above 1: their rows do not sum to one.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    output = torch.softmax(scores, dim=-1) @ value
    return output, weights

# %% correct: each position is given its past and nothing else
def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, width = query.shape[1:]
    outputs, rows = [], []
    for t in range(length):
        past = slice(0, t + 1)
        scores = (query[:, t : t + 1] * key[:, past]).sum(dim=2) / math.sqrt(width)
        share = torch.softmax(scores, dim=1)
        outputs.append((share.unsqueeze(2) * value[:, past]).sum(dim=1))
        rows.append(F.pad(share, (0, length - t - 1)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)

# %% correct: a list of the allowed pairs, and sums over it
def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    batch, length, width = query.shape
    asks, answers = torch.tril_indices(length, length, device=query.device)
    scores = (query[:, asks] * key[:, answers]).sum(dim=2) / width**0.5  # (B, pairs)
    which = asks.expand_as(scores)
    top = torch.full((batch, length), -torch.inf, dtype=scores.dtype, device=scores.device)
    top = top.scatter_reduce(1, which, scores.detach(), reduce="amax")
    exponentials = torch.exp(scores - top[:, asks])
    total = torch.zeros_like(top).index_add(1, asks, exponentials)
    share = exponentials / total[:, asks]
    flat = scores.new_zeros(batch, length * length)
    weights = flat.index_add(1, asks * length + answers, share).view(batch, length, length)
    output = value.new_zeros(batch, length, value.shape[2])
    output = output.index_add(1, asks, share.unsqueeze(2) * value[:, answers])
    return output, weights
