# %% wrong: divided by 64
# The number of cells is fixed. Shows for any picture that has not 64 cells.


def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: the mean in every cell
# Gives N equal cells, (B, N, D), in place of one. Shows for more than one cell.


def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% wrong: the new axis in front
# The shape is (1, B, D), which is right for a batch of one only.


def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1).unsqueeze(0)


# %% wrong: cells of zeros left out
# Taken over from padded sentences: cells that are all zero (a ReLU makes such) do not count in the mean. Shows where
# a cell's features are all zero.


def pooled_baseline(features: Tensor) -> Tensor:
    lit = features.abs().sum(dim=2, keepdim=True) > 0
    return (features * lit).sum(dim=1, keepdim=True) / lit.sum(dim=1, keepdim=True).clamp(min=1)


# %% correct: a running mean, cell by cell


def pooled_baseline(features: Tensor) -> Tensor:
    mean = features[:, :1]
    for n in range(1, features.shape[1]):
        mean = mean + (features[:, n : n + 1] - mean) / (n + 1)
    return mean


# %% correct: attention with equal weights, as a product


def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, _ = features.shape
    return torch.bmm(features.new_full((batch, 1, cells), 1 / cells), features)
