# %% wrong: the axis is gone
# Returns (B, D), without the axis of the one cell.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1)

# %% wrong: a mean over the width
# The mean of the last axis: (B, N, 1) instead of (B, 1, D).

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=2, keepdim=True)

# %% wrong: the largest instead of the mean
# Max pooling: wrong wherever cells differ.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.amax(dim=1, keepdim=True)

# %% wrong: divided by 64
# The sum over the cells divided by the 64 of this chapter: wrong for any other N.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64

# %% correct: a product with equal weights

def pooled_baseline(features: Tensor) -> Tensor:
    share = features.new_full((features.shape[0], 1, features.shape[1]), 1 / features.shape[1])
    return torch.bmm(share, features)

# %% correct: a running mean

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features[:, 0:1]
    for n in range(1, features.shape[1]):
        mean = mean + (features[:, n : n + 1] - mean) / (n + 1)
    return mean

