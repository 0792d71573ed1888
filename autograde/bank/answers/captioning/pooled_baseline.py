# %% wrong: the axis of the cells is gone
# The mean is right, and it is (B, D). The decoder attends to cells, so the memory needs an axis for them, of length
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

# %% wrong: the largest of the cells
# The maximum over the cells is another way to pool. Here the mean is asked for.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.amax(dim=1, keepdim=True)

# %% wrong: the mean of the whole batch, for everybody
# Every picture got the same vector: the mean ran over the batch as well. Take it over the cells alone.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=(0, 1)).expand(len(features), 1, -1)

# %% wrong: the mean, as many times as there are cells
# The mean stands in every cell, so the memory is as long as before. Its uses are the same; the docstring asks for a
# memory of a single cell.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=1, keepdim=True).expand_as(features)

# %% wrong: the mean over the features, laid on its side
# What came back has one number for each cell: the mean ran over the features. Take it over the cells.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=2).unsqueeze(1)

# %% wrong: the first cell alone
# What came back is the first cell. The mean runs over all of them.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features[:, :1]

# %% wrong: cut off from the gradient
# The mean is right, and no gradient passes through it (through numpy none can pass), so the convolutions would learn
# nothing.

# --- before
    return features.mean(dim=1, keepdim=True)
# --- after
    return features.mean(dim=1, keepdim=True).detach()

# %% wrong: written into the features
# The mean was written over the first cell of the caller's features. Return a new tensor.

def pooled_baseline(features):
    with torch.no_grad():
        features[:, 0] = features.mean(dim=1)
    return features[:, :1]

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
    return torch.full((B, 1, N), 1 / N) @ features

# %% correct: adaptive pooling

def pooled_baseline(features):
    return nn.functional.adaptive_avg_pool1d(features.transpose(1, 2), 1).transpose(1, 2)
