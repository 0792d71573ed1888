# %% wrong: always divided by 64
# The sum is divided by the 64 cells of the notebook's pictures, whatever the number of cells is.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.sum(dim=1, keepdim=True) / 64


# %% wrong: cells that are all zero are left out
# Remembering padding from the chapters before, the mean runs only over cells with something other than
# zero in them. A picture has no padding, and after a ReLU a cell of zeros is a cell like any other.

def pooled_baseline(features: Tensor) -> Tensor:
    there = (features != 0).any(dim=2, keepdim=True).to(features.dtype)
    total = (features * there).sum(dim=1, keepdim=True)
    return total / there.sum(dim=1, keepdim=True).clamp(min=1)


# %% wrong: as many cells as before, each the mean
# The mean is written into every cell, (B, N, D). Attention over it has the same context, but the memory
# is not of one cell.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1, keepdim=True).expand_as(features)


# %% wrong: the new axis comes first
# unsqueeze(0) puts the single cell's axis in front of the batch: (1, B, D). It looks right for a batch
# of one only.

def pooled_baseline(features: Tensor) -> Tensor:
    return features.mean(dim=1).unsqueeze(0)


# %% wrong: through a numpy array and back
# The mean is taken by NumPy on a detached copy, so no gradient gets back to the encoder, and the
# control could not be trained in the same way.

import numpy as np


def pooled_baseline(features: Tensor) -> Tensor:
    mean = np.mean(features.detach().cpu().numpy(), axis=1, keepdims=True)
    return torch.from_numpy(mean).to(features.device)


# %% correct: attention with equal weights

def pooled_baseline(features: Tensor) -> Tensor:
    cells = features.shape[1]
    equal = torch.ones(len(features), 1, cells, dtype=features.dtype, device=features.device)
    return equal @ features / cells


# %% correct: a running mean, cell by cell

def pooled_baseline(features: Tensor) -> Tensor:
    cells = features.unbind(dim=1)
    mean = cells[0]
    for count, cell in enumerate(cells[1:], start=2):
        mean = mean + (cell - mean) / count
    return torch.stack([mean], dim=1)
