# %% wrong: scores divided by the root of the width
# It knows scaled dot-product attention and divides by sqrt(D); asked was the plain sum over d.
# Hint: take B = T = S = 1 and D = 4, all ones, and compare with the sum by hand.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", query, key) / math.sqrt(query.shape[-1])


# %% wrong: the keys are reshaped where they should be transposed
# `reshape(B, D, S)` makes the shapes of the product fit, but deals the numbers of each key out over several columns.
# Hint: print key and key.reshape(B, D, S) for one small sentence; is a column of the second one key?

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return query @ key.reshape(B, D, S)


# %% wrong: the guard is gone and sizes of one are stretched
# The product and sum are right, but without the guard a batch of one key, or a width of one, is broadcast silently
# where ValueError was promised.
# Hint: call it with query (2, 3, 5) and key (1, 4, 5), and read the last sentence of the docstring.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    # (B, T, 1, D) * (B, 1, S, D) -> (B, T, S, D), then the sum over D
    return (query.unsqueeze(2) * key.unsqueeze(1)).sum(dim=-1)


# %% wrong: the scores are plain numbers without a history
# Each dot product passes through .item(), so the scores are right but no gradient reaches query or key.
# Hint: make query require its gradient and look at scores.requires_grad.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype)
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            for s in range(key.shape[1]):
                scores[b, t, s] = torch.dot(query[b, t], key[b, s]).item()
    return scores


# %% correct: a broadcast product and a sum

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.ndim != 3 or key.ndim != 3:
        raise ValueError(f"query and key need three axes, got {query.ndim} and {key.ndim}")
    (batch, _, width), (other_batch, _, other_width) = query.shape, key.shape
    if (batch, width) != (other_batch, other_width):
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} do not agree in B or D")
    return torch.sum(query[:, :, None, :] * key[:, None, :, :], dim=3)


# %% correct: the product the other way round and turned afterwards

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    queries_as_columns = query.permute(0, 2, 1)  # (B, D, T)
    asked = torch.bmm(key, queries_as_columns)  # (B, S, T)
    return asked.permute(0, 2, 1)
