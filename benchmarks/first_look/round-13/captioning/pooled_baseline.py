# %% wrong: divided by 64 cells
# The sum is divided by the 64 cells of a scene, whatever N is: right for N = 64 alone.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64

# %% wrong: pooled over the channels
# adaptive_avg_pool1d pools the last axis, which is the width D here and not the cells: the result is (B, N, 1).

def pooled_baseline(features: Tensor) -> Tensor:
    return F.adaptive_avg_pool1d(features, 1)

# %% wrong: the mean in every cell
# The mean is written into all N cells, "so that the decoder finds its grid again": (B, N, D) instead of (B, 1, D), which
# shows for N > 1.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)

# %% wrong: the mean of the cells that are not zero
# Cells of zeros are left out as if they were padding. They are cells like any other after a ReLU, so the mean is too
# large wherever there is one.

def pooled_baseline(features: Tensor) -> Tensor:
    real = (features != 0).any(dim=2, keepdim=True)
    count = real.sum(dim=1, keepdim=True).clamp_min(1)
    return features.sum(dim=1, keepdim=True) / count

# %% correct: a running mean, cell by cell

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features[:, :1]
    for n, cell in enumerate(features.unbind(dim=1)[1:], start=2):
        mean = mean + (cell.unsqueeze(1) - mean) / n
    return mean

# %% correct: one row of equal weights as a matrix

def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, _ = features.shape
    weights = torch.full((batch, 1, cells), 1 / cells, dtype=features.dtype, device=features.device)
    return torch.bmm(weights, features)
