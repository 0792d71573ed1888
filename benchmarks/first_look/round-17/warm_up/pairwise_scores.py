# %% wrong: both are tiled
# Both lists of vectors are repeated in the same way, so pair number j is query j % T with key j % S, not j // S with j % S. Shows for every
# T and S of 2 or more (for T == S only the pairs of equal place occur).

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, T, _ = query.shape
    S = key.shape[1]
    every_query = query.repeat(1, S, 1)  # (B, T * S, D)
    every_key = key.repeat(1, T, 1)  # (B, T * S, D)
    return (every_query * every_key).sum(dim=2).view(B, T, S)

# %% wrong: the guard shortened, as the product guards itself
# "matmul complains by itself where B differs": it does not where one of the two is 1. Shows for query (1, T, D), key (3, S, D): no ValueError.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[-1] != key.shape[-1]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    try:
        return torch.matmul(query, key.transpose(1, 2))
    except RuntimeError as error:
        raise ValueError("the batches do not agree") from error

# %% wrong: tensordot, its diagonal, and a reshape
# tensordot gives (B, T, B, S); its diagonal over the two batches is (T, S, B), and the reshape to (B, T, S) scrambles it. Shows for B above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    all_pairs = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    same_sentence = torch.diagonal(all_pairs, dim1=0, dim2=2)
    return same_sentence.reshape(query.shape[0], query.shape[1], key.shape[1])

# %% wrong: written into a table made beforehand
# As in the loop, the table of scores is made first, and bmm writes into it with out=. That records no gradient: PyTorch refuses where query or
# key requires one. Shows for query with requires_grad=True (RuntimeError).

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
    torch.bmm(query, key.transpose(1, 2), out=scores)
    return scores

# %% correct: a linear layer for each sentence, by vmap

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    # the keys of a sentence are the weight (S, D) of a layer, its queries (T, D) the inputs
    return torch.vmap(F.linear)(query, key)

# %% correct: tensordot over all sentences, then the diagonal

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    all_pairs = torch.tensordot(key, query, dims=([2], [2]))  # (B, S, B, T)
    return all_pairs.diagonal(dim1=0, dim2=2).permute(2, 1, 0)  # (S, T, B) -> (B, T, S)
