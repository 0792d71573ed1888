# %% wrong: divided by sixty-four
# The number of cells of the course's pictures is written into the function. A good message: "right for 64 cells only".

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64

# %% wrong: the axis of one in the wrong place
# mean removes the axis and unsqueeze(0) puts one in front: (1, B, D). For B = 1 it is right. A good message: "(1, B, D) in place of (B, 1, D): keepdim=True".

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(1).unsqueeze(0)

# %% wrong: the mean of the whole batch
# Averages over batch and cells: every picture gets the same vector. A good message: "the vector of a picture changes with the other pictures of the batch".

def pooled_baseline(features: Tensor) -> Tensor:
    B, N, D = features.shape
    return features.mean(dim=(0, 1)).expand(B, 1, D)

# %% correct: equal weights times the cells

def pooled_baseline(features: Tensor) -> Tensor:
    batch, cells, _ = features.shape
    equal = torch.full((batch, 1, cells), 1 / cells, dtype=features.dtype, device=features.device)
    return equal @ features

# %% correct: pooling layer

def pooled_baseline(features: Tensor) -> Tensor:
    return F.adaptive_avg_pool1d(features.transpose(1, 2), 1).transpose(1, 2)
