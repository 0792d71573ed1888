# %% wrong: the guard makes an error and never raises it
# The word raise is missing: a batch of one is stretched silently, and a wrong width gives another error.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    same_batch = query.shape[0] == key.shape[0]
    same_width = query.shape[-1] == key.shape[-1]
    if query.dim() != 3 or key.dim() != 3 or not same_batch or not same_width:
        ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return torch.einsum("btd,bsd->bts", query, key)


# %% wrong: computed in numpy, gradients lost
# The tensors are detached on their way to NumPy, so no gradient flows to the query or the key.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    import numpy as np

    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = np.einsum("btd,bsd->bts", query.detach().numpy(), key.detach().numpy())
    return torch.from_numpy(scores)


# %% wrong: divided by the root of the width
# Attention's scaled scores from memory; asked for is the plain sum over d.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = query @ key.transpose(1, 2)
    return scores / query.shape[-1] ** 0.5


# %% wrong: all queries meet the keys of the first sentence
# tensordot gives (B, T, B, S), and index 0 takes the first entry's keys for the whole batch; right for B = 1 only.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    every_pair = torch.tensordot(query, key, dims=([2], [2]))
    return every_pair[:, :, 0]


# %% wrong: squeezes axes of size one away
# The trailing axis of the column product is squeezed without saying which, so B, T or S of 1 vanish, too.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    columns = key.unsqueeze(1).unsqueeze(-1)  # (B, 1, S, D, 1)
    rows = query.unsqueeze(2).unsqueeze(-2)  # (B, T, 1, 1, D)
    return (rows @ columns).squeeze()


# %% correct: a broadcast product, summed over its last axis

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    return (query[:, :, None, :] * key[:, None, :, :]).sum(dim=-1)


# %% correct: one outer product for each feature, added up

def _agree(query: Tensor, key: Tensor) -> bool:
    if query.dim() != 3 or key.dim() != 3:
        return False
    return (query.size(0), query.size(2)) == (key.size(0), key.size(2))


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if not _agree(query, key):
        raise ValueError(f"shapes {tuple(query.shape)} and {tuple(key.shape)} do not fit")
    total = query.new_zeros(query.size(0), query.size(1), key.size(1))
    for q, k in zip(query.unbind(dim=2), key.unbind(dim=2)):
        total = total + q.unsqueeze(2) * k.unsqueeze(1)
    return total
