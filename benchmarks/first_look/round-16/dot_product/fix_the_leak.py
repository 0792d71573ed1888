# %% wrong: divided by the running sum over the queries
# The sum now stops at query t, so nothing comes from the future any more; but it still runs down the column, and the
# rows do not sum to one. Shows for every T above 1 (and exp without a maximum overflows for scores in the hundreds).

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    exponentials = torch.exp(scores)
    so_far = exponentials.cumsum(dim=1)  # the queries up to t, none after it
    weights = (exponentials / so_far).masked_fill(later, 0.0)
    return weights @ value, weights


# %% wrong: rows made to sum to one afterwards
# The softmax over the queries stays, and each row is divided by its sum. The rows are right to look at, but key s still
# carries one over a sum that later queries entered: changing the last position moves the outputs of earlier ones.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% wrong: the course's function with the colleague's mask
# `later` is True where a key must not be seen, and scaled_dot_product_attention reads True as may attend: every
# position sees the future only, the last one nothing. Shows for every input.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    length = query.shape[1]
    ones = torch.ones(length, length, dtype=torch.bool, device=query.device)
    later = torch.triu(ones, diagonal=1)  # True where the key comes after the query
    return scaled_dot_product_attention(query, key, value, later)


# %% wrong: softmax over all keys, the future cut away afterwards
# For small scores this is right up to rounding. Where a later score is hundreds above the earlier ones, their weights
# underflow to zero before the cut, and the row is 0 / 0 = NaN: key 1 = 1000 * query 0, position 0.

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2).tril()
    weights = weights / weights.sum(dim=2, keepdim=True)
    return weights @ value, weights


# %% correct: each position gets its past only

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    B, T, d_k = query.shape
    outputs, rows = [], []
    for t in range(T):
        past_keys, past_values = key[:, : t + 1], value[:, : t + 1]
        scores = torch.einsum("bd,bsd->bs", query[:, t], past_keys) / math.sqrt(d_k)
        row = torch.softmax(scores, dim=1)
        outputs.append(torch.einsum("bs,bsv->bv", row, past_values))
        rows.append(F.pad(row, (0, T - 1 - t)))
    return torch.stack(outputs, dim=1), torch.stack(rows, dim=1)


# %% correct: sorted by how far back, and put back

def attend_to_the_past(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    B, T, d_k = query.shape
    t = torch.arange(T, device=query.device)
    back = t.unsqueeze(1) - t  # (t, lag): the key that stands lag steps before t
    exists = back >= 0
    keys = key[:, back.clamp_min(0)]  # (B, t, lag, d_k)
    by_lag = (query.unsqueeze(2) * keys).sum(dim=3) / d_k**0.5
    by_lag = by_lag.masked_fill(~exists, -torch.inf)
    by_lag = torch.softmax(by_lag, dim=2)
    # the key s of query t stands t - s steps back, and t - (t - s) = s
    weights = by_lag.gather(2, back.clamp_min(0).expand(B, T, T)).masked_fill(~exists, 0.0)
    return weights @ value, weights
