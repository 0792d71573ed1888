# %% wrong: keys before queries
# The letters behind the arrow are in the wrong order, so the result is (B, S, T): keys in rows, queries in columns.
# Shows wherever T and S differ, and in the values where they are equal.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bst", query, key)

# %% wrong: reshaped where it should be transposed
# reshape(B, D, S) gives the shape that the product needs, but deals the numbers of the keys out anew.
# Shows wherever S and D are both above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return torch.bmm(query, key.reshape(B, D, S))

# %% wrong: filled into a float32 table
# torch.zeros makes float32 on the CPU, whatever query and key are, and the products are rounded on their way in.
# Shows for float64: the result is float32.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        scores[b] = query[b] @ key[b].T
    return scores

# %% wrong: leaves the guard to PyTorch
# Turns the product's own error into a ValueError; but with B = 1 on one side there is no error, it is stretched.
# Shows for query (1, 3, 5) and key (2, 4, 5): scores (2, 3, 4) come back, and nothing is raised.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    try:
        return torch.matmul(query, key.transpose(1, 2))
    except (RuntimeError, IndexError) as error:
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} do not fit") from error

# %% correct: a dot product, mapped three times

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    one_query = torch.vmap(torch.dot, in_dims=(None, 0))  # (D,), (S, D) -> (S,)
    all_queries = torch.vmap(one_query, in_dims=(0, None))  # (T, D), (S, D) -> (T, S)
    return torch.vmap(all_queries)(query, key)

# %% correct: every batch entry with every other, then the diagonal

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return everything.diagonal(dim1=0, dim2=2).movedim(-1, 0)
