# %% wrong: queries and keys change places
# The letters behind the arrow are in the wrong order: (B, S, T) comes back. Shows wherever T differs from S, and
# for T = S in the numbers.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bst", query, key)

# %% wrong: reshaped where it should be transposed
# reshape to (B, D, S) makes the shapes of the product fit, but reads the numbers in the wrong order: the scores are wrong
# for S and D above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    batch, num_keys, width = key.shape
    return torch.bmm(query, key.reshape(batch, width, num_keys))

# %% wrong: the guard lets a size of one through
# The guard was rewritten with a try around the product, in the belief that PyTorch refuses what does not fit: a key with
# B = 1 or D = 1 beside a query with more is broadcast without a word.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    try:
        return (query.unsqueeze(2) * key.unsqueeze(1)).sum(dim=3)
    except (RuntimeError, IndexError) as error:
        raise ValueError(f"need query (B, T, D) and key (B, S, D): {error}") from error

# %% wrong: the loop's zeros are float32
# torch.zeros is taken over from the loop: float64 in, float32 out, on the CPU whatever the device is.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        scores[b] = query[b] @ key[b].T
    return scores

# %% correct: all sentences with all sentences, and the diagonal of that

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)

# %% correct: each sentence's keys as the weights of a linear layer, under vmap

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    fits = query.dim() == key.dim() == 3 and (query.size(0), query.size(2)) == (key.size(0), key.size(2))
    if not fits:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.vmap(F.linear)(query, key)
