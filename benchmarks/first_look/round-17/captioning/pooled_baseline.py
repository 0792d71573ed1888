# %% wrong: view in place of transpose
# Pools over the last axis, as library functions do, after view(B, D, N): that cuts the numbers anew and does not
# swap the axes. The shape is right, the numbers are not, wherever N and D are 2 or more.

def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, width = features.shape
    columns = features.reshape(batch, width, cells)
    return F.adaptive_avg_pool1d(columns, 1).view(batch, 1, width)

# %% wrong: sixty-four cells for ever
# The sum is divided by the 64 cells of this notebook's grid. Shows for any other N, such as the 96 of a wide picture.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64

# %% wrong: cells of zeros are left out
# Behind a ReLU a cell may be all zeros; the mean is taken over the others only, like a mean over padding.
# Shows where a cell is zero and another is not.

def pooled_baseline(features: Tensor) -> Tensor:
    there = (features != 0).any(dim=2, keepdim=True).to(features.dtype)
    number = there.sum(dim=1, keepdim=True).clamp(min=1)
    return (features * there).sum(dim=1, keepdim=True) / number

# %% wrong: the new axis in front
# mean(dim=1) gives (B, D), and unsqueeze(0) makes (1, B, D) of it: one picture with B cells. Right for one
# picture only; shows for B of 2 or more.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1).unsqueeze(0)

# %% correct: a running mean, cell by cell

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features[:, :1]
    for n in range(1, features.shape[1]):
        mean = mean + (features[:, n : n + 1] - mean) / (n + 1)
    return mean.clone()

# %% correct: attention with equal scores

def pooled_baseline(features: Tensor) -> Tensor:
    nothing = features.new_zeros(features.shape[0], 1, features.shape[1])
    return torch.bmm(torch.softmax(nothing, dim=-1), features)
