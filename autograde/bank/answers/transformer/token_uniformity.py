# %% wrong: the mean runs over the features
# The mean was taken over each token's features. The question is how tokens differ from one another: average over the
# tokens, the axis of length T.

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

# %% wrong: the mean of everything
# One number was taken away from everything. The mean of the tokens is a vector: average over the tokens and keep the
# features apart.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=(1, 2), keepdim=True)  # (B, T, D) - (B, 1, D)

# %% wrong: not divided by the length of x
# The result grows with x: twice the numbers, twice the spread. Divide by the length of x itself.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.flatten(1).norm(dim=1)

# %% wrong: squares without the root
# This is the square of the spread: both lengths are sums of squares whose root was not taken.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.square().sum(dim=(1, 2)) / x.square().sum(dim=(1, 2))

# %% wrong: a mean over tokens of each token's ratio
# Each token was measured by itself and the ratios were averaged, so a short token counts as much as a long one. Both
# norms run over all T * D numbers of a sequence.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return (differences.norm(dim=2) / x.norm(dim=2)).mean(dim=1)

# %% wrong: divided by the length of the mean
# The differences were measured against what the tokens share, which makes tokens that cancel infinitely spread. Divide
# by the length of x.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.flatten(1).norm(dim=1) / x.mean(dim=1, keepdim=True).expand_as(x).flatten(1).norm(dim=1)

# %% wrong: uniformity instead of spread
# The result is turned round: tokens that are all alike have spread 0 here, not 1. A number this close to 1 would also
# hide how close.

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

# %% wrong: the mean is not taken away
# Every sequence has spread 1: the length of x was divided by itself. Take the mean of the tokens away first.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x  # (B, T, D) - (B, 1, D)

# %% wrong: the mean runs over batch and tokens
# One mean was taken of all the sequences' tokens together. Each sequence has a mean of its own: average over dim 1
# alone.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=(0, 1), keepdim=True)  # (B, T, D) - (B, 1, D)

# %% wrong: lengths of tokens, averaged, then divided
# The tokens' lengths were averaged. The norm is one for the whole sequence: the root of the sum of all T * D squares.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.norm(dim=2).mean(dim=1) / x.norm(dim=2).mean(dim=1)

# %% wrong: sums of absolute values
# Absolute values were added up. The length of a vector is the root of the sum of its squares.

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return differences.abs().sum(dim=(1, 2)) / x.abs().sum(dim=(1, 2))

# %% wrong: the largest singular values
# The matrix norm here is its largest singular value. Meant is the length of all T * D numbers as one vector (the
# Frobenius norm).

# --- before
    return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)
# --- after
    return torch.linalg.matrix_norm(differences, ord=2) / torch.linalg.matrix_norm(x, ord=2)

# %% wrong: the mean loses its axis
# The mean over the tokens has lost their axis, so (B, D) cannot be taken away from (B, T, D). Keep the axis, of length
# 1.

# --- before
    differences = x - x.mean(dim=1, keepdim=True)  # (B, T, D) - (B, 1, D)
# --- after
    differences = x - x.mean(dim=1)  # (B, T, D) - (B, 1, D)

# %% wrong: x is overwritten
# The right number comes back, but the mean was taken away inside the caller's x, which then goes on without it. Make a
# new tensor.

def token_spread(x):
    size = x.norm(dim=(1, 2))
    x -= x.mean(dim=1, keepdim=True)
    return x.norm(dim=(1, 2)) / size

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
    centre = torch.eye(T) - torch.ones(T, T) / T
    return (centre @ x).norm(dim=(1, 2)) / x.norm(dim=(1, 2))

# %% correct: Pythagoras: what is not the mean

def token_spread(x):
    m = x.mean(1)
    return (1 - x.shape[1] * (m * m).sum(-1) / (x * x).sum((1, 2))).clamp(min=0).sqrt()
