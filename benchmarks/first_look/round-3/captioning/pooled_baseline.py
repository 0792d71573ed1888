# %% wrong: the axis of the cells is gone
# The mean is right and comes back as (B, D); attention wants a memory of one cell, (B, 1, D).
# Hint: how many cells has your memory? Look at keepdim.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1)


# %% wrong: mean over the width
# The mean is taken over the D numbers of a cell and not over the cells, so (B, N, 1) comes back.
# Hint: which of the three axes counts the cells?

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=-1, keepdim=True)


# %% wrong: sixty-four cells
# The sum is divided by 64, which is the mean only where the grid has 64 cells; the docstring says any number N.
# Hint: how many cells has a picture that is 48 pixels wide?

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: the mean in all the cells
# The mean is put into each of N cells: the contexts are the same, but the memory is not of a single cell and the shape is not (B, 1, D).
# Hint: what does the docstring say about the shape, and what are the weights over your memory?

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% correct: adaptive pooling

def pooled_baseline(features: Tensor) -> Tensor:
    return F.adaptive_avg_pool1d(features.transpose(1, 2), output_size=1).transpose(1, 2)
