# %% wrong: reshape in place of transpose
# key is brought to (B, D, S) by reshape, which deals its numbers out anew instead of turning the axes. The shape is right and the numbers
# are not: scores[b, t, s] is no dot product, for all S > 1 with D > 1.


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return torch.bmm(query, key.reshape(B, D, S))


# %% wrong: axes of size one squeezed away
# The product is made with two helper axes, which the squeeze at the end is to remove; the sum has removed one of them already and the
# squeeze takes real ones: with B, T or S equal to 1 the result is not (B, T, S).


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    products = query.unsqueeze(2) * key.unsqueeze(1)  # (B, T, S, D)
    return products.sum(dim=-1).squeeze()


# %% wrong: a float32 table filled row by row
# The table is made as in the loop of the text, in float32 (and on the CPU): queries and keys in float64 come back as float32 scores,
# where float64 has to stay float64.


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        scores[b] = query[b] @ key[b].T
    return scores


# %% wrong: the guard left to matmul
# The guard was thrown out because "@ complains anyway". It does for D and for B = 2 with 3, but not where one B is 1: query (3, T, D) with
# key (1, S, D) is stretched without a word, and no ValueError is raised. (A differing D raises RuntimeError turned into ValueError here.)


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    try:
        return query @ key.transpose(-2, -1)
    except RuntimeError as error:
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} do not fit") from error


# %% correct: one feature after the other


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    for of_queries, of_keys in zip(query.unbind(dim=2), key.unbind(dim=2), strict=True):  # (B, T) and (B, S)
        scores = torch.addcmul(scores, of_queries[:, :, None], of_keys[:, None, :])
    return scores


# %% correct: a dot product lifted three times with vmap


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    with_all_keys = torch.vmap(lambda q, k: (q * k).sum(), in_dims=(None, 0))
    all_with_all = torch.vmap(with_all_keys, in_dims=(0, None))
    return torch.vmap(all_with_all)(query, key)
