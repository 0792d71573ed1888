# %% wrong: divided by the sixty-four cells of the example
# The sum over the cells is divided by 64, the number of cells in the chapter's pictures. With any other number of cells it is not the mean.
# Hint: try a picture of 48 by 32 pixels, whose cells are all equal.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: the mean is repeated for every cell
# Every cell is replaced by the mean, so the memory still has N cells. The context is the same at every step, but the shape is (B, N, D) and not (B, 1, D).
# Hint: how many cells does the docstring give the memory?

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features.mean(dim=1, keepdim=True)
    return mean.expand_as(features)


# %% wrong: the axis of the cells is gone
# The mean over the cells comes back as (B, D). The attention needs a memory with an axis of cells, even if there is one cell.
# Hint: what does keepdim do?

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1)


# %% wrong: the pooling runs over the features of each cell
# adaptive_avg_pool1d pools the last axis, which here holds the features. The result is one number a cell, (B, N, 1), instead of one cell.
# Hint: look at the shape of the result for N = 6 and D = 48. Which axis does this pooling work on?

def pooled_baseline(features: Tensor) -> Tensor:
    return F.adaptive_avg_pool1d(features, 1)


# %% correct: a sum by einsum over the number of cells

def pooled_baseline(features: Tensor) -> Tensor:
    _, num_cells, _ = features.shape
    return torch.einsum("bnd->bd", features)[:, None, :] / num_cells


# %% correct: pooled along the cells after a transpose

def pooled_baseline(features: Tensor) -> Tensor:
    channels_first = features.transpose(1, 2)
    return F.adaptive_avg_pool1d(channels_first, 1).transpose(1, 2)
