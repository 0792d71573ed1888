# %% wrong: the axis of the cells is gone
# The mean is right, but it is (B, D). The decoder attends to cells, so the memory needs an axis for them, of length
# one.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=1)

# %% wrong: the sum of the cells
# The cells were summed, which makes the vector as many times larger as there are cells. Take their mean.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.sum(dim=1, keepdim=True)

# %% wrong: the mean over the features
# The mean ran over the features of each cell, so all the cells are still there. Take it over the cells.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=2, keepdim=True)

# %% wrong: the mean over the pictures
# The mean ran over the pictures of the batch. Each picture has its own: take it over the cells.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=0, keepdim=True)

# %% wrong: empty cells are left out
# Cells whose features are all zero were left out of the count. They are cells too: divide by how many there are.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.sum(1, keepdim=True) / (features != 0).any(2).sum(1).clamp(min=1)[:, None, None]

# %% correct: a sum and a division
def pooled_baseline(features):
    return (features.sum(1) / features.shape[1])[:, None]

# %% correct: uniform weights
def pooled_baseline(features):
    B, N, _ = features.shape
    return features.new_full((B, 1, N), 1 / N) @ features

# %% correct: adaptive pooling
def pooled_baseline(features):
    return nn.functional.adaptive_avg_pool1d(features.transpose(1, 2), 1).transpose(1, 2)
