# %% wrong: view where transpose is needed
# key.view(B, D, S) has the shape of the transposed key, but the numbers lie in another order, so keys are mixed up.
# Breaks scores[b, t, s] = sum over d of query * key. Hint: view only reads the same row of numbers anew; which call swaps two axes?

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    batch, length, width = key.shape
    return query @ key.contiguous().view(batch, width, length)


# %% wrong: keys before queries
# The letters behind the arrow stand as b, s, t, so that the result is (B, S, T), the transposed scores.
# Breaks the promised shape (B, T, S). Hint: which axis comes first in this course, the places that ask or those that are asked?

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bst", query, key)


# %% wrong: the guard trusts the library
# The guard is thrown out in the belief that einsum refuses sizes that differ; but einsum stretches an axis of size 1 silently.
# Breaks "never a silent broadcast" and the ValueError. Hint: what does einsum do with a key of batch size 1?

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    # einsum raises by itself where the letters do not fit
    return torch.einsum("btd,bsd->bts", query, key)


# %% wrong: numbers taken out of the graph
# The scores are collected with .item() and put into a new tensor, which knows nothing of query and key any more.
# Breaks "Gradients flow to both". Hint: what does a Python float remember of how it came about?

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = [
        [[torch.dot(one_query, one_key).item() for one_key in keys] for one_query in queries]
        for queries, keys in zip(query, key, strict=True)
    ]
    return torch.tensor(scores, dtype=query.dtype, device=query.device)


# %% correct: product of all pairs, then a sum

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    pairs = query[:, :, None, :] * key[:, None, :, :]  # (B, T, S, D)
    return pairs.sum(dim=-1)


# %% correct: one linear map for each batch entry

def _agree(query: Tensor, key: Tensor) -> bool:
    if not query.ndim == key.ndim == 3:
        return False
    return (query.size(0), query.size(2)) == (key.size(0), key.size(2))


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if not _agree(query, key):
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} do not agree in B and D")
    # a linear layer without bias whose weights are the keys (S, D)
    return torch.stack([F.linear(queries, weight=keys) for queries, keys in zip(query.unbind(0), key.unbind(0))], dim=0)
