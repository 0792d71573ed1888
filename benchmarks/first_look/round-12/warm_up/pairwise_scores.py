# %% wrong: keys by queries
# The einsum's right side is written bst: keys as rows, queries as columns, the transpose of what is asked.
# Shows in the shape where T and S differ, and in the values where they are equal.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bst", query, key)

# %% wrong: reshape in place of transpose
# key is read anew as (B, D, S), which fits the product but tears the keys apart.
# Shows wherever S and D are both above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    batch, length, width = key.shape
    return query @ key.reshape(batch, width, length)

# %% wrong: each query meets the keys of all sentences
# The key's batch has a letter of its own, c, which is then summed over: scores of other sentences are added.
# Shows wherever B is above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,csd->bts", query, key)

# %% wrong: a float32 table, filled sentence by sentence
# The table is made as in the loop above, in float32: scores of float64 vectors come back rounded to float32.
# Shows for float64 inputs.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        scores[b] = query[b] @ key[b].T
    return scores

# %% correct: all with all, then the diagonal blocks

# One product of every query with every key of every sentence; the blocks where the sentences agree are kept.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    batch, queries, width = query.shape
    keys = key.shape[1]
    everything = query.reshape(batch * queries, width) @ key.reshape(batch * keys, width).T
    blocks = everything.view(batch, queries, batch, keys)
    return blocks.diagonal(dim1=0, dim2=2).permute(2, 0, 1)  # (T, S, B) -> (B, T, S)

# %% correct: a linear layer whose weight is the keys, mapped over the batch

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.vmap(F.linear)(query, key)  # (T, D), (S, D) -> (T, S), for each sentence
