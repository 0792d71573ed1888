# %% wrong: reshape in place of transpose
# key.reshape(B, D, S) has the right shape, but the numbers of different keys are mixed. Shows as soon as S and D are
# both above 1, e.g. (2, 3, 5) with (2, 4, 5).

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return torch.bmm(query, key.reshape(B, D, S))


# %% wrong: a guard of one's own that forgets the batch
# query (3, T, D) with key (1, S, D) is stretched without a word, where ValueError is promised.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.size(-1) != key.size(-1):
        raise ValueError("query and key must have the same width")
    return torch.matmul(query, key.mT)


# %% wrong: the scale of dot-product attention
# Divides by the square root of D, as attention papers do. Shows for every D above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", query, key) / math.sqrt(query.shape[2])


# %% wrong: one large product, and always the first sentence's keys
# All queries times all keys gives (B, T, B, S); index 0 takes the keys of sentence 0 for every sentence. Shows for
# B = 2 and more, for b = 1 and later.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, T, D = query.shape
    S = key.shape[1]
    scores = query.reshape(B * T, D) @ key.reshape(B * S, D).T  # (B * T, B * S)
    return scores.reshape(B, T, B, S)[:, :, 0]


# %% correct: every batch with every batch, then the diagonal
def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    return everything.diagonal(dim1=0, dim2=2).permute(2, 0, 1)


# %% correct: a linear layer for each sentence, by vmap
def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.vmap(F.linear)(query, key)
