# %% wrong: always 64 cells
# The sum is divided by the notebook's 64 cells: wrong for any other N.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: the mean at every place
# All N cells become the mean: the context is right, but the memory is (B, N, D), not one cell. Shows for N > 1.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% wrong: flattened, not pooled
# All cells end to end in one long vector (B, 1, N * D), as in the second control. Shows for N > 1.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.reshape(features.shape[0], 1, -1)


# %% wrong: cells of zeros do not count
# The mean is taken over the cells that hold anything, as if cells of zeros were padding. Shows for a cell of zeros.

def pooled_baseline(features: Tensor) -> Tensor:
    held = (features != 0).any(dim=2).sum(dim=1).clamp(min=1)
    return (features.sum(dim=1) / held.unsqueeze(1)).unsqueeze(1)


# %% correct: pooling by torch

def pooled_baseline(features: Tensor) -> Tensor:
    return F.adaptive_avg_pool1d(features.transpose(1, 2), 1).transpose(1, 2)


# %% correct: attention with equal scores

def pooled_baseline(features: Tensor) -> Tensor:
    size, cells, _ = features.shape
    shares = torch.softmax(torch.zeros(size, 1, cells, dtype=features.dtype, device=features.device), dim=2)
    return torch.bmm(shares, features)
