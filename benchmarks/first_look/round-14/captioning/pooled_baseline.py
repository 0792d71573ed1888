# %% wrong: the mean in every cell
# Writes the mean into all N cells. The context would be the same, but the memory is to have a single cell. Shows for N
# above 1: (B, N, D) instead of (B, 1, D).

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% wrong: folded into the wrong axis
# Folds (B, N, D) to (B, 1, D, N) and averages over the last axis: the numbers are read in the old order, so each mean
# is over parts of cells. The shape is right. Shows for N and D above 1.

def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, width = features.shape
    return features.reshape(batch, 1, width, cells).mean(dim=3)


# %% wrong: always sixty-four cells
# Divides the sum by 64, the cells of a scene. Shows for every other number of cells, such as a wide picture's 96.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: a control that learns nothing
# Cuts the mean off from the encoder, so that the control "has nothing to choose from". The numbers are right. Shows by
# the gradient of features: none comes back.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.detach().mean(dim=1).unsqueeze(1)


# %% correct: a product with a row of equal shares

def pooled_baseline(features: Tensor) -> Tensor:
    cells = features.shape[1]
    shares = torch.full((1, cells), 1 / cells, dtype=features.dtype, device=features.device)
    return torch.matmul(shares, features)


# %% correct: adaptive pooling to one place

def pooled_baseline(features: Tensor) -> Tensor:
    channels_first = features.transpose(1, 2)  # (B, D, N), as pooling wants it
    return F.adaptive_avg_pool1d(channels_first, 1).transpose(1, 2)
