# %% wrong: mean and variance run over the positions too
# Mean and variance were taken over all of a sequence, so every position knows a little of all the others, of later
# ones too. Each position has statistics of its own.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    mean = x.mean(dim=(1, 2), keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)

# %% wrong: only the mean is the position's own
# The mean is each position's own now, but the variance still runs over the whole sequence.

# --- before
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)

# %% wrong: only the variance is the position's own
# The variance is each position's own now, but the mean still runs over the whole sequence.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
# --- after
    mean = x.mean(dim=(1, 2), keepdim=True)  # (B, T, 1)

# %% wrong: over the positions instead of the features
# Each feature was normed along the sequence. Norm each position over its features instead.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    mean = x.mean(dim=1, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=1, keepdim=True)

# %% wrong: over the batch
# Each feature was normed over sentences and positions: that is batch normalization. Here each position is normed by
# itself.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    mean = x.mean(dim=(0, 1), keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=(0, 1), keepdim=True)

# %% wrong: the variance is divided by D - 1
# The variance is a little too large, by D / (D - 1): torch.var divides by D - 1 unless it is told not to.

# --- before
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    variance = x.var(dim=2, keepdim=True)

# %% wrong: eps stands outside the root
# Where the features hardly differ the result is off: eps belongs to the variance, under the root.

# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return (x - mean) / (torch.sqrt(variance) + eps) * weight + bias

# %% wrong: eps is not used
# With another eps the result does not change. Use the one that was given.

# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return (x - mean) / torch.sqrt(variance + 1e-5) * weight + bias

# %% wrong: the variance as a difference of two large numbers
# The variance was computed as the mean of the squares minus the square of the mean. Where features hardly differ,
# nearly equal numbers are subtracted and the digits are lost: square the differences instead.

# --- before
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    variance = x.square().mean(dim=2, keepdim=True) - mean.square()

# %% correct: torch.var with its correction off
def layer_norm(x, weight, bias, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return weight * (x - mean) * torch.rsqrt(variance + eps) + bias

# %% correct: position by position
def layer_norm(x, weight, bias, eps=1e-5):
    rows = []
    for vector in x.reshape(-1, x.shape[-1]):
        centred = vector - vector.mean()
        rows.append(centred / (centred.pow(2).mean() + eps) ** 0.5 * weight + bias)
    return torch.stack(rows).view_as(x)

# %% correct: the mean of squares minus the square of the mean, in double
def layer_norm(x, weight, bias, eps=1e-5):
    d = x.double()
    mean = d.mean(-1, keepdim=True)
    variance = d.pow(2).mean(-1, keepdim=True) - mean.pow(2)
    return ((d - mean) / (variance + eps).sqrt()).to(x.dtype) * weight + bias

# %% correct: sums
def layer_norm(x, weight, bias, eps=1e-5):
    D = x.size(2)
    x = x - x.sum(2, keepdim=True) / D
    return torch.addcmul(bias, x / torch.sqrt((x * x).sum(2, keepdim=True) / D + eps), weight)

# %% correct: the centring matrix
def layer_norm(x, weight, bias, eps=1e-5):
    D = x.shape[-1]
    centred = x @ (torch.eye(D).to(x) - 1 / D)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias
