# %% wrong: reshape in place of transpose
# key is reshaped to (B, D, S), which keeps the shape right and puts the wrong numbers together. A good message: "reshape does not swap axes: transpose(1, 2)".

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return torch.bmm(query, key.reshape(B, D, S))

# %% wrong: float32 table to write into
# Fills torch.zeros(B, T, S), which is float32 on the CPU: float64 inputs lose their precision (and a GPU's inputs come back on the CPU). A good message: "the scores are not in the inputs' dtype: what dtype and device does torch.zeros give?"

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        scores[b] = query[b] @ key[b].T
    return scores

# %% wrong: the guard thrown out
# The numbers are right, but the given guard is gone and the product broadcasts: a batch of one key entry meets all queries, a width of 1 is stretched. A good message: "query (3, ...) and key (1, ...) must raise ValueError, not broadcast".

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    return (query.unsqueeze(2) * key.unsqueeze(1)).sum(dim=-1)

# %% wrong: cosine in place of the dot product
# "How well does a query fit a key" is read as a cosine: both are normalised first. A good message: "the scores have the right sign and the wrong size: the docstring asks for plain dot products, with no division".

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", F.normalize(query, dim=-1), F.normalize(key, dim=-1))

# %% correct: tensordot and the diagonal of the two batch axes

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    every_batch_with_every_other = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return every_batch_with_every_other.diagonal(dim1=0, dim2=2).permute(2, 0, 1)

# %% correct: the guard written anew, einsum with integers for letters

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    match (query.shape, key.shape):
        case ((b, _, d), (b2, _, d2)) if (b, d) == (b2, d2):
            return torch.einsum(query, [0, 1, 3], key, [0, 2, 3], [0, 1, 2])
        case _:
            raise ValueError(f"query {list(query.shape)} does not go with key {list(key.shape)}")
