# %% wrong: the axis of the cells is gone
# mean(dim=1) gives (B, D) and not (B, 1, D), for every input.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1)


# %% wrong: the mean at every place
# The mean stands in all N cells: (B, N, D) and not (B, 1, D). It shows for every N above 1.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% wrong: divided by 64
# The chapter's pictures have 64 cells, and that number stands in the code: too small a mean for any other number of cells
# below 64, too large above.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: dark cells left out
# Cells of zeros are taken for padding and do not count in the mean. It shows where a cell's features are all zero, which a
# ReLU can well give.

def pooled_baseline(features: Tensor) -> Tensor:
    real = (features != 0).any(dim=2, keepdim=True).to(features.dtype)
    return (features * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True).clamp(min=1)


# %% correct: one pooling window as long as the sequence

def pooled_baseline(features: Tensor) -> Tensor:
    return F.avg_pool1d(features.transpose(1, 2), kernel_size=features.shape[1]).transpose(1, 2)


# %% correct: the softmax of equal scores

def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, _ = features.shape
    even = torch.zeros(batch, 1, cells, dtype=features.dtype, device=features.device).softmax(dim=2)
    return even @ features
