# %% wrong: rows divided after the columns
# The softmax still goes over the queries, and the rows are then made to sum to one. They do, and nothing stands above the diagonal; but each
# column has been divided by a sum over later queries, which does not cancel in the row: a changed last position moves the earlier outputs.


def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the place itself closed too
# The axis is mended, and "the past" is made strict: diagonal=0 closes the key at the own position. Position t has to see 0 to t; row 0 sees
# nothing and its zeros do not sum to one. It shows for all lengths, 1 included.


def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=0)
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong: softmax over all keys, then the past divided again
# Over the keys, but masked after the softmax and divided by what is left. Where a later key's score is some 100 above the past ones, they are 0
# before the mask comes: the row sums to 0 in place of one, so what stands after position t does change t. Unseen with small scores.


def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2).tril()
    total = weights.sum(dim=2, keepdim=True)
    weights = weights / total.clamp_min(1e-30)
    return weights @ value, weights


# %% wrong: a mask that stays on the CPU
# The axis is mended, and the mask is replaced by the one of exercise 4.2, which is made on the CPU and never brought to the device of the
# query: on a GPU masked_fill raises. What it makes, it has to make where its arguments are.


def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    later = ~causal_mask(query.shape[1])
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights


# %% correct: each position is handed its past and nothing else


def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length, root = query.shape[1], math.sqrt(query.shape[2])
    outputs, rows = [], []
    for t in range(length):
        seen = slice(0, t + 1)
        scores = torch.einsum("bd,bsd->bs", query[:, t], key[:, seen]) / root
        share = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsv->bv", share, value[:, seen]))
        rows.append(F.pad(share, (0, length - t - 1)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)


# %% correct: the running maximum, and values that flow to later places only


def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    scores = torch.bmm(query, key.mT) / math.sqrt(query.shape[2])
    place = torch.arange(length, device=query.device)
    top = scores.detach().cummax(dim=2).values.diagonal(dim1=1, dim2=2)  # (B, T): the largest up to its own place
    exponentials = (scores - top.unsqueeze(2)).masked_fill(place > place.unsqueeze(1), -math.inf).exp()
    weights = exponentials / exponentials.sum(dim=2, keepdim=True)
    output = torch.zeros_like(value)
    for s in range(length):
        message = weights[:, s:, s].unsqueeze(2) * value[:, s].unsqueeze(1)  # (B, T - s, d_v)
        output = output + F.pad(message, (0, 0, s, 0))
    return output, weights
