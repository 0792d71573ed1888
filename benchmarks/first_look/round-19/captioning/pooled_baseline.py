# %% wrong: divided by 64
# The chapter's grids have 8 x 8 cells, but any number is allowed: for N other than 64 the result is N / 64 times the mean.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64

# %% wrong: every cell replaced by the mean
# The shape stays (B, N, D) instead of (B, 1, D), for any N above 1: N equal cells, not a memory of one.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)

# %% wrong: cells of zeros left out of the mean
# Taken over from sentences, where zeros are padding. A cell whose ReLU gave only zeros counts too: with the cells (2, 2) and
# (0, 0) the mean is (1, 1), not (2, 2).

def pooled_baseline(features: Tensor) -> Tensor:
    counted = (features != 0).any(dim=2, keepdim=True)
    number = counted.sum(dim=1, keepdim=True).clamp(min=1)
    return features.sum(dim=1, keepdim=True) / number

# %% wrong: added up in the first cell
# total is a view of the first cell, and += adds the others to it in place: features has changed afterwards (and a leaf that
# takes gradients raises an error).

def pooled_baseline(features: Tensor) -> Tensor:
    total = features[:, 0]
    for n in range(1, features.shape[1]):
        total += features[:, n]
    return (total / features.shape[1]).unsqueeze(1)

# %% correct: a product with equal weights
# Attention with the weight 1/N for each cell.
def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, _ = features.shape
    weights = features.new_full((batch, 1, cells), 1 / cells)
    return torch.bmm(weights, features)

# %% correct: a running mean
def pooled_baseline(features: Tensor) -> Tensor:
    mean = torch.zeros_like(features[:, :1])
    for count, cell in enumerate(features.split(1, dim=1), start=1):
        mean = mean + (cell - mean) / count
    return mean
