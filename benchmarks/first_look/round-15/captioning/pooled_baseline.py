# %% wrong: divided by the 64 cells of a square picture
# The number of cells is taken from this chapter's pictures. For any other N, as from a wide picture, the vector is too large
# or too small.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: the record of the mean is cut
# Under no_grad no gradient comes back to the features, so an encoder in front of it would never learn. The values are right.

@torch.no_grad()
def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True)


# %% wrong: the mean stands in every cell
# The memory keeps N cells, all alike: (B, N, D) and not (B, 1, D). It shows for N above 1.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% wrong: empty cells are not counted
# The mean runs over the cells that are not all zeros, as over real tokens. The mean of all cells is asked for: a cell of
# zeros, which the ReLU can leave, makes the result too large.

def pooled_baseline(features: Tensor) -> Tensor:
    filled = (features != 0).any(dim=2, keepdim=True)
    return features.sum(dim=1, keepdim=True) / filled.sum(dim=1, keepdim=True).clamp(min=1)


# %% correct: pooling with a window over all cells

def pooled_baseline(features: Tensor) -> Tensor:
    return F.avg_pool1d(features.transpose(1, 2), kernel_size=features.shape[1]).transpose(1, 2)


# %% correct: attention with equal weights

def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, _ = features.shape
    equal = torch.full((batch, 1, cells), 1 / cells, dtype=features.dtype, device=features.device)
    return torch.bmm(equal, features)
