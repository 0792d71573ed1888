# %% wrong: the new axis in front
# The mean (B, D) gets its axis at place 0 and becomes (1, B, D): one picture with B cells. Shows for two pictures or
# more.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1).unsqueeze(0)


# %% wrong: divided by 64
# The sum over the cells is divided by the number of cells of this chapter's grid. Shows for every other N, such as a
# wide picture's 96.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: the mean at every place
# Each cell is replaced by the mean, N times over: a decoder's context is the same, but the memory has N cells in place
# of one. Shows in the shape for N of 2 or more.

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features.mean(dim=1, keepdim=True)
    return mean.expand_as(features)


# %% wrong: a baseline without gradients
# The values are right, but they are computed without a record: the encoder before it is never trained. Shows for
# features that require gradients.

@torch.no_grad()
def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True)


# %% correct: a matrix of equal weights

# One row of weights 1/N, as an attention that cannot choose, times the cells.

def pooled_baseline(features: Tensor) -> Tensor:
    cells = features.shape[1]
    return torch.full((1, cells), 1 / cells, dtype=features.dtype, device=features.device) @ features


# %% correct: a running mean

# Cell by cell, each pulls the mean towards itself by one over the number of cells so far.

def pooled_baseline(features: Tensor) -> Tensor:
    first, *others = features.split(1, dim=1)
    mean = first.clone()
    for count, cell in enumerate(others, start=2):
        mean = mean + (cell - mean) / count
    return mean
