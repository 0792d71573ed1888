# %% wrong: reshape for a transpose
# reshape gives the keys the shape (B, D, S), but reads their numbers in the old order. Shape and guard are right, the
# numbers are not: shows for any S and D above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return query @ key.reshape(key.shape[0], key.shape[2], key.shape[1])


# %% wrong: the mean over d
# mean over the last axis instead of the sum: every score is D times too small. Shows for any D above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return (query.unsqueeze(2) * key.unsqueeze(1)).mean(dim=-1)


# %% wrong: the keys of the first sentence
# tensordot pairs every sentence's queries with every sentence's keys, (B, T, B, S), and the index 0 keeps the keys of the
# first sentence for all. Shows for B above 1 in all sentences but the first.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    all_pairs = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return all_pairs[:, :, 0]


# %% wrong: a guard with and for or
# The guard was tidied up and now asks that B and D both differ. Shows for a key with B = 1 or D = 1 beside a larger query:
# einsum stretches it silently, no ValueError comes.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    batch_differs = query.shape[0] != key.shape[0]
    width_differs = query.shape[-1] != key.shape[-1]
    if query.dim() != 3 or key.dim() != 3 or (batch_differs and width_differs):
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", query, key)


# %% correct: all pairs of sentences, and of those the diagonal

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    all_pairs = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return all_pairs.diagonal(dim1=0, dim2=2).permute(2, 0, 1)  # (T, S, B) -> (B, T, S)


# %% correct: one dot product, mapped three times

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    one_query_all_keys = torch.vmap(lambda q, k: (q * k).sum(), in_dims=(None, 0))
    all_queries_all_keys = torch.vmap(one_query_all_keys, in_dims=(0, None))
    return torch.vmap(all_queries_all_keys)(query, key)
