# %% wrong: always divides by 64
# The sum over the cells is divided by the 64 cells of the course's pictures, whatever N is.

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: n cells that all hold the mean
# The mean is written into every cell, (B, N, D). It is a memory of N equal cells and not of a single one.

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    pooled = features.mean(dim=1, keepdim=True)
    return pooled.expand_as(features)


# %% wrong: by way of numpy, without gradients
# The mean is taken in NumPy after detach(): no gradient reaches the encoder, so the control is not trained like the
# others.

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    array = features.detach().cpu().numpy()
    return torch.from_numpy(array.mean(axis=1, keepdims=True))


# %% wrong: the mean of the whole batch
# The mean goes over the pictures too, so that all pictures of a batch get the same vector. Right for one picture.

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    B, N, D = features.shape
    one = features.reshape(B * N, D).mean(dim=0)
    return one.repeat(B, 1).unsqueeze(1)


# %% wrong: the largest of each feature
# Max pooling, as many networks end with, in place of the mean.

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    return features.amax(dim=1, keepdim=True)


# %% correct: a product with equal shares

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    B, N, _ = features.shape
    shares = features.new_full((B, 1, N), 1 / N)
    return shares @ features


# %% correct: adds up the cells one by one

def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells."""
    cells = features.unbind(dim=1)
    total = cells[0]
    for cell in cells[1:]:
        total = total + cell
    return torch.stack([total / len(cells)], dim=1)
