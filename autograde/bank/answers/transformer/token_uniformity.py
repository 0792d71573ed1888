# %% wrong: the mean runs over the features
# The mean was taken over each token's features. The question is how tokens differ from one another: average over the
# tokens, dim 1.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=2, keepdim=True)  # (B, T, D) - (B, 1, D)

# %% wrong: the mean runs over the batch
# The mean was taken over the sentences of the batch. Each sequence is measured by itself: average over its own tokens.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=0, keepdim=True)  # (B, T, D) - (B, 1, D)

# %% wrong: not divided by the norm of x
# The result grows with x: twice the numbers, twice the spread. Divide by the norm of x itself.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.flatten(1).norm(dim=1)

# %% wrong: squares without the root
# This is the square of the spread: both norms are sums of squares whose root was not taken.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.square().sum(dim=(1, 2)) / x.square().sum(dim=(1, 2))

# %% wrong: uniformity instead of spread
# The result is one minus the spread: tokens that are all alike have spread 0, not 1. A number this close to 1 would
# also hide how close.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return 1 - differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)

# %% wrong: one number for the batch
# All the sequences came out as one number. Keep the batch: one spread for each sequence, (B,).

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.norm() / x.norm()

# %% wrong: the mean runs over batch and tokens
# One mean was taken of all the sequences' tokens together. Each sequence has a mean of its own: average over dim 1
# alone.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=(0, 1), keepdim=True)  # (B, T, D) - (B, 1, D)

# %% wrong: sums of absolute values
# Absolute values were added up. The norm is the root of the sum of the squares.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.abs().sum(dim=(1, 2)) / x.abs().sum(dim=(1, 2))

# %% wrong: the mean loses its axis
# The mean over the tokens has lost their axis, so (B, D) cannot be subtracted from (B, T, D). Keep the axis, with size
# 1.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=1)  # (B, T, D) - (B, 1, D)

# %% wrong: a floor below the norm of x
# A smallest number that is added to the norm of x, or put in its place, takes over where the numbers of x are tiny, and
# the spread comes out too small. x is never all zeros, so nothing has to be kept from being divided by zero.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1).clamp(min=1e-12)

# %% correct: a loop over the sequences
def token_spread(x):
    spreads = []
    for sequence in x:
        differences = sequence - sequence.mean(0)
        spreads.append(torch.linalg.norm(differences) / torch.linalg.norm(sequence))
    return torch.stack(spreads)

# %% correct: standard deviations
def token_spread(x):
    return (x.var(dim=1, unbiased=False).sum(dim=1) / x.square().mean(dim=1).sum(dim=1)).sqrt()

# %% correct: an einsum
def token_spread(x):
    d = x - torch.einsum("btd->bd", x).unsqueeze(1) / x.shape[1]
    return torch.sqrt(torch.einsum("btd,btd->b", d, d) / torch.einsum("btd,btd->b", x, x))

# %% correct: matrix norms
def token_spread(x):
    mean = x.sum(dim=-2, keepdim=True) / x.size(-2)
    return torch.linalg.matrix_norm(x - mean) / torch.linalg.matrix_norm(x)

# %% correct: the centring matrix
def token_spread(x):
    T = x.shape[1]
    centre = torch.eye(T).to(x) - 1 / T
    return (centre @ x).norm(dim=(1, 2)) / x.norm(dim=(1, 2))
