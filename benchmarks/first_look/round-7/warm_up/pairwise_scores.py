# %% wrong: reshape for transpose
# view lays the key's numbers out anew and does not turn them: right shape, wrong numbers wherever S and D are both above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    B, S, D = key.shape
    return torch.bmm(query, key.reshape(B, D, S))


# %% wrong: keys of all sentences
# The key's batch has a letter of its own, so it is summed over: every query is scored against the sum of all sentences'
# keys. Shows for B above 1.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("itd,jsd->its", query, key)


# %% wrong: by way of NumPy
# The product is taken outside PyTorch, so no gradient flows to query or key: the result does not require one.

import numpy as np


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    q, k = query.detach().numpy(), key.detach().numpy()
    return torch.from_numpy(np.matmul(q, k.swapaxes(1, 2)))


# %% wrong: guard rewritten without the batch
# Only axes and width are compared, and @ stretches a batch of one: query (1, T, D) with key (3, S, D) gives (3, T, S)
# and no ValueError.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[-1] != key.shape[-1]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return query @ key.transpose(-2, -1)


# %% correct: one feature at a time

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    for q, k in zip(query.unbind(2), key.unbind(2)):  # (B, T) and (B, S), D times
        scores = torch.addcmul(scores, q[:, :, None], k[:, None, :])
    return scores


# %% correct: diagonal of a tensordot

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    every_sentence = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    own = every_sentence.diagonal(dim1=0, dim2=2)  # (T, S, B)
    return own.movedim(2, 0).contiguous()
