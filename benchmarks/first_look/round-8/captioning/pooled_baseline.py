# %% wrong: the axis of the cell is lost
# mean(dim=1) without keepdim gives (B, D) and not (B, 1, D). Shows for every input.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1)


# %% wrong: divided by the 64 cells of our pictures
# The sum is divided by 64, the number of cells of a 32 x 32 picture. Right for N = 64 only; shows for any other N.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: pooled over the wrong numbers after a reshape
# adaptive_avg_pool1d wants the channels in the middle, and they are brought there by a reshape that moves nothing:
# each "mean" runs over consecutive numbers of several features. Shows wherever N and D are both above 1.

def pooled_baseline(features: Tensor) -> Tensor:
    B, N, D = features.shape
    pooled = F.adaptive_avg_pool1d(features.reshape(B, D, N), 1)  # (B, D, 1)
    return pooled.reshape(B, 1, D)


# %% wrong: a control that does not train the encoder
# The mean is taken without gradients, "since a baseline is only for comparison": features get none. Shows in backward.

def pooled_baseline(features: Tensor) -> Tensor:
    with torch.no_grad():
        return features.mean(dim=1, keepdim=True)


# %% correct: a running mean, cell by cell

def pooled_baseline(features: Tensor) -> Tensor:
    mean = features[:, :1]
    for n in range(1, features.shape[1]):
        mean = mean + (features[:, n : n + 1] - mean) / (n + 1)
    return mean.clone()


# %% correct: attention with equal scores

def pooled_baseline(features: Tensor) -> Tensor:
    B, N, _ = features.shape
    scores = torch.zeros(B, 1, N, dtype=features.dtype, device=features.device)
    return torch.bmm(torch.softmax(scores, dim=2), features)
