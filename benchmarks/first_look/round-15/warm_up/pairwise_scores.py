# %% wrong: the key is reshaped where its axes should swap
# reshape(B, D, S) keeps the numbers in their order, so columns hold parts of several keys. It shows wherever S and D are
# both above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return query @ key.reshape(B, D, S)


# %% wrong: the guard is rewritten and forgets the batch
# Only D is compared. A key of batch 1 beside a query of batch 3 is stretched by the matrix product, without an error.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.size(-1) != key.size(-1):
        raise ValueError(f"query and key differ in D: {tuple(query.shape)}, {tuple(key.shape)}")
    return torch.matmul(query, key.mT)


# %% wrong: the result is copied into a fresh float32 tensor
# Taken over from the loop above: torch.zeros is float32, so scores of float64 inputs come back as float32.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    scores[:] = torch.einsum("btd,bsd->bts", query, key)
    return scores


# %% wrong: all sentences flattened, and the first block of keys kept
# The product of all queries with all keys is (B, T, B, S); index 0 takes the first sentence's keys for every sentence.
# Right for B = 1 and for the first row only.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, T, D = query.shape
    everything = query.reshape(B * T, D) @ key.reshape(-1, D).T  # (B * T, B * S)
    return everything.view(B, T, B, -1)[:, :, 0]


# %% correct: a grouped convolution of width one

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, T, D = query.shape
    kernels = query.reshape(B * T, D, 1)  # each query is a filter over the keys of its group
    rows = key.transpose(1, 2).reshape(1, B * D, -1)
    return F.conv1d(rows, kernels, groups=B).reshape(B, T, -1)


# %% correct: all pairs of sentences, and their diagonal

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1).contiguous()
