# %% wrong: the root of the width of the values
# The scores are divided by the root of d_v, not of d_k: right only where the two are the same.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    width = value.size(-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(width)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1) * mask
    return weights @ value, weights


# %% wrong: nan to num for the empty rows
# Forward all is right, but the softmax of an empty row is NaN before it is replaced, and its
# backward pass multiplies by it: the gradient of query and key is NaN there, not zero.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    return weights @ value, weights


# %% wrong: the largest score of the whole batch is taken away
# One maximum for all rows in place of one for each row: rows whose scores lie far below the largest
# of the batch underflow, and their weights are zero (or do not sum to one).

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    exponentials = torch.exp(scores - scores.detach().max())  # so that nothing overflows
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights


# %% wrong: the mask is indexed by batch as if it were full
# The loop over the leading axis takes mask[b], though the mask need only be broadcastable: of a
# mask (T, S) each sequence gets one row, used for all its queries; a mask (1, T, S) fails.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    if query.dim() > 2:
        outputs, weights = [], []
        for b in range(query.shape[0]):
            mask_b = None if mask is None else mask[b]
            o, w = scaled_dot_product_attention(query[b], key[b], value[b], mask_b)
            outputs.append(o)
            weights.append(w)
        return torch.stack(outputs), torch.stack(weights)
    scores = query @ key.T / math.sqrt(query.shape[1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = torch.softmax(scores, dim=1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


# %% wrong: the query is divided in place
# The caller's query is changed by the call; where key and value are the same tensor (self-attention)
# they shrink with it, and a query that is a leaf with gradient raises an error.

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    # section 4.4: divide the queries before they meet the keys
    query /= math.sqrt(query.shape[-1])
    scores = query @ key.transpose(-2, -1)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = scores.masked_fill(~mask, -1e30).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


# %% correct: einsum and exponentials with a maximum per row

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    scores = torch.einsum("...td,...sd->...ts", query * query.shape[-1] ** -0.5, key)
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -torch.inf))
    largest = scores.detach().amax(dim=-1, keepdim=True)
    largest = torch.where(largest == -torch.inf, torch.zeros_like(largest), largest)
    exponentials = (scores - largest).exp()
    total = exponentials.sum(dim=-1, keepdim=True)
    weights = exponentials / torch.where(total == 0, torch.ones_like(total), total)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


# %% correct: one query at a time

def one_question(q: Tensor, key: Tensor, value: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """q (..., d_k), allowed (..., S): the answer (..., d_v) and the weights (..., S) of one query."""
    scores = (key * q.unsqueeze(-2)).sum(dim=-1) / math.sqrt(q.shape[-1])
    # where nothing is allowed, the softmax is taken over everything, and its weights thrown away
    hidden = ~allowed & allowed.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
    weights = torch.where(allowed, weights, torch.zeros_like(weights))
    return (weights.unsqueeze(-1) * value).sum(dim=-2), weights


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    check_scaled_dot_product(query, key, value, mask)
    shape = (*query.shape[:-1], key.shape[-2])
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    mask = mask.expand(shape)
    answers = [one_question(query[..., t, :], key, value, mask[..., t, :]) for t in range(query.shape[-2])]
    output = torch.stack([answer for answer, _ in answers], dim=-2)
    weights = torch.stack([weight for _, weight in answers], dim=-2)
    return output, weights
