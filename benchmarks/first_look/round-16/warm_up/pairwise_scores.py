# %% wrong: a fresh float32 table is filled
# torch.zeros makes float32, and the products are written into it: float64 query and key give float32 scores.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1], device=query.device)
    scores[:] = query @ key.transpose(1, 2)
    return scores


# %% wrong: squeeze takes away axes of size 1 that belong there
# The product of (1, D) and (D, 1) for each pair leaves two axes of size 1; squeeze() without an axis also removes B, T or
# S where they are 1: query (1, 3, 5) gives (3, 4) in place of (1, 3, 4).

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    rows = query[:, :, None, None, :]  # (B, T, 1, 1, D)
    columns = key[:, None, :, :, None]  # (B, 1, S, D, 1)
    return (rows @ columns).squeeze()


# %% wrong: the guard tidied up with `and`
# Rewritten as "not the same B and not the same D": it raises only where both disagree. query (1, 3, 5) with key
# (2, 4, 5) is broadcast without a word.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    (b_query, _, d_query), (b_key, _, d_key) = query.shape, key.shape
    if b_query != b_key and d_query != d_key:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", query, key)


# %% wrong: all sentences in one product, the blocks read in the wrong order
# (B * T, D) @ (D, B * S) is laid out as (B, T, B, S), but is read as (B, B, T, S) before the diagonal is taken. Right
# for B = 1 or T = 1; wrong for B = 2, T = 3.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, T, S = query.shape[0], query.shape[1], key.shape[1]
    everything = query.flatten(0, 1) @ key.flatten(0, 1).T
    blocks = everything.reshape(B, B, T, S)
    same = torch.arange(B, device=query.device)
    return blocks[same, same]


# %% correct: tensordot over the width, then the diagonal of the two batch axes

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)


# %% correct: one linear map for each sentence, its keys as the weight

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.stack([F.linear(q, k) for q, k in zip(query, key, strict=True)])
