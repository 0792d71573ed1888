# %% wrong: reshaped instead of transposed
# reshape reads the keys' numbers on in the old order, (D, S) is then no transpose: wrong wherever S and D are both
# above 1, the shape is right.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    batch, s, d = key.shape
    return query @ key.reshape(batch, d, s)

# %% wrong: divided by the root of D
# The scaling of attention (chapter 04), which is not asked for: wrong for every D above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", query, key) / math.sqrt(query.shape[-1])

# %% wrong: the loop's zeros kept
# The zeros are float32, so float64 queries and keys come back as float32: any float64 input.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1], device=query.device)
    scores += query @ key.transpose(1, 2)
    return scores

# %% wrong: a guard of one's own that forgets the batch
# Only D is compared: query (4, 3, 5) and key (1, 2, 5) are broadcast without a word, where a ValueError is promised.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"widths differ: {query.shape[-1]} and {key.shape[-1]}")
    return torch.matmul(query, key.mT)

# %% correct: all batches with all batches, and the diagonal of that

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)

# %% correct: one sentence's function, mapped over the batch

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if (query.ndim, key.ndim) != (3, 3) or query.shape[::2] != key.shape[::2]:
        raise ValueError(f"{tuple(query.shape)} and {tuple(key.shape)} do not agree in B and D")

    def one_query(q: Tensor, keys: Tensor) -> Tensor:  # (D,), (S, D) -> (S,)
        return (q * keys).sum(dim=1)

    one_sentence = torch.func.vmap(one_query, in_dims=(0, None))
    return torch.func.vmap(one_sentence)(query, key)
