# %% wrong: reshaped so that the cells come last
# The reshape to (B, 1, D, N) does not move the axis: other numbers are averaged together, in the right shape.
# Promise: the mean of all cells. Shows for N and D of 2 or more.

def pooled_baseline(features: Tensor) -> Tensor:
    batch, num_cells, width = features.shape
    return features.reshape(batch, 1, width, num_cells).mean(dim=3)


# %% wrong: divided by the sixty-four cells of this chapter's grid
# The sum is divided by 8 * 8.
# Promise: the mean, for any number of cells N. Shows for every N but 64.

def pooled_baseline(features: Tensor) -> Tensor:
    rows = columns = 8
    total = torch.einsum("bnd->bd", features)
    return (total / (rows * columns)).unsqueeze(1)


# %% wrong: empty cells do not count
# Cells that are zero throughout (the ReLU can do that) are taken for padding and left out of the count.
# Promise: the mean of ALL cells. Shows for features with a cell of zeros.

def pooled_baseline(features: Tensor) -> Tensor:
    filled = (features != 0).any(dim=2, keepdim=True)
    count = filled.sum(dim=1, keepdim=True).clamp(min=1)
    return features.sum(dim=1, keepdim=True) / count


# %% wrong: the sum is gathered in the first cell
# `total` is a view of features, and += writes into it.
# Promise: it leaves its arguments as they were. Shows for N of 2 or more: features[:, 0] has changed, a second call gives more.

def pooled_baseline(features: Tensor) -> Tensor:
    total = features[:, :1]
    for n in range(1, features.shape[1]):
        total += features[:, n : n + 1]
    return total / features.shape[1]


# %% correct: a product with a row of equal shares

def pooled_baseline(features: Tensor) -> Tensor:
    n = features.size(1)
    shares = torch.full((1, n), 1.0 / n, dtype=features.dtype, device=features.device)
    return shares @ features


# %% correct: a running mean, cell by cell

def pooled_baseline(features: Tensor) -> Tensor:
    mean = torch.zeros_like(features[:, 0])
    for seen, cell in enumerate(features.unbind(dim=1), start=1):
        mean = mean + (cell - mean) / seen
    return mean[:, None, :]
