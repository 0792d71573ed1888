# %% wrong: the axis is gone
# The mean drops the axis of the cells: (B, D) comes out, which is no memory to attend to.
# Shows for every input.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1)


# %% wrong: always 64 cells
# The sum is divided by the 64 cells of this chapter's pictures.
# Shows for every other number of cells: with N = 96 the result is one and a half times the mean.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: empty cells are taken for padding
# Cells that are all zeros are left out of the mean, as padding was in chapter 02; after a ReLU a cell may well be zero.
# Shows for features with a cell of zeros: the mean of (2, 0) comes out as 2.

def pooled_baseline(features: Tensor) -> Tensor:
    real = (features != 0).any(dim=2, keepdim=True).to(features.dtype)  # (B, N, 1)
    return (features * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True).clamp(min=1)


# %% wrong: a control without gradients
# @torch.no_grad() is taken over from the cells that measure; but the control is trained, its encoder too.
# Shows for features that need gradients: the result has none.

@torch.no_grad()
def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True)


# %% correct: attention with the same weight for every cell

def pooled_baseline(features: Tensor) -> Tensor:
    scores = features.new_zeros(features.shape[0], 1, features.shape[1])
    return torch.bmm(scores.softmax(dim=2), features)


# %% correct: a running mean

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features[:, 0]
    for n in range(1, features.shape[1]):
        mean = mean + (features[:, n] - mean) / (n + 1)
    return mean[:, None]
