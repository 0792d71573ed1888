# %% wrong: keys before queries
# The scores come out as (B, S, T). Shows wherever T and S differ, and in the values where they are equal.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bst", query, key)


# %% wrong: reshaped where it should be transposed
# reshape makes (B, D, S) of the key without swapping axes: the numbers are mixed. Shows for S > 1 and D > 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return query @ key.reshape(B, D, S)


# %% wrong: a guard for the width alone
# The guard was rewritten and no longer looks at B: a query (1, T, D) with a key (3, S, D) is stretched over
# the batch in silence, where a ValueError is promised.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3:
        raise ValueError("need three axes each")
    if query.size(-1) != key.size(-1):
        raise ValueError(f"widths differ: {query.size(-1)} and {key.size(-1)}")
    return query @ key.transpose(-1, -2)


# %% wrong: filled into a fresh table of float32
# torch.zeros has the default dtype, so float64 queries and keys come back rounded, as float32.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1], device=query.device)
    for b in range(query.shape[0]):
        scores[b] = query[b] @ key[b].T
    return scores


# %% correct: a sum of outer products, one for each number of the width

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    total = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    for column, row in zip(query.unbind(2), key.unbind(2), strict=True):
        total = torch.addcmul(total, column[:, :, None], row[:, None, :])
    return total


# %% correct: all with all, then the blocks on the diagonal

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    (B, T, D), S = query.shape, key.shape[1]
    every = query.reshape(B * T, D) @ key.reshape(B * S, D).t()  # (B T, B S)
    return every.reshape(B, T, B, S).diagonal(dim1=0, dim2=2).permute(2, 0, 1)
