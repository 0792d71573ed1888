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
# The mean is each position's own now; the variance still runs over the whole sequence.

# --- before
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)

# %% wrong: only the variance is the position's own
# The variance is taken within each position now; the mean still runs over the whole sequence.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
# --- after
    mean = x.mean(dim=(1, 2), keepdim=True)  # (B, T, 1)

# %% wrong: over the positions instead of the features
# Each feature was normed along the sequence. It is the other way round: each position, over its features.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    mean = x.mean(dim=1, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=1, keepdim=True)

# %% wrong: over the batch
# Each feature was normed over sentences and positions: that is batch normalisation. Here each position is normed by
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
        (x - mean) / sqrt(variance + eps) * weight + bias
# --- after
        (x - mean) / sqrt(variance + 1e-5) * weight + bias
# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return (x - mean) / torch.sqrt(variance + 1e-5) * weight + bias

# %% wrong: the root is missing
# The differences were divided by the variance; divide by its root.

# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return (x - mean) / (variance + eps) * weight + bias

# %% wrong: the bias is scaled too
# The bias came in before the weight and was multiplied by it. Weight first, bias last.

# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return ((x - mean) / torch.sqrt(variance + eps) + bias) * weight

# %% wrong: the mean is not taken away
# The result is scaled but not centred: take the mean away first.

# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return x / torch.sqrt(variance + eps) * weight + bias

# %% wrong: no weight and no bias
# The normed numbers came back as they are; weight and bias are still to be applied.

# --- before
        (x - mean) / sqrt(variance + eps) * weight + bias
# --- after
        (x - mean) / sqrt(variance + eps)
# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return (x - mean) / torch.sqrt(variance + eps)

# %% wrong: mean and variance are detached
# What comes out is right and the gradients are not: mean and variance depend on x, and were cut off from it. Do not
# detach them.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    mean = x.mean(dim=2, keepdim=True).detach()  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True).detach()

# %% wrong: x is overwritten
# The mean was taken away inside the caller's x. With the norm before, that is the stream itself. Make a new tensor.

def layer_norm(x, weight, bias, eps=1e-5):
    x -= x.mean(dim=-1, keepdim=True)
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight + bias

# %% wrong: the variance as a difference of two large numbers
# The variance was computed as the mean of the squares minus the square of the mean. Where features hardly differ,
# nearly equal numbers are subtracted and the digits are lost: square the differences instead.

# --- before
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    variance = x.square().mean(dim=2, keepdim=True) - mean.square()

# %% wrong: no eps at all
# eps was left out. Where features hardly differ it decides; it is added to the variance, under the root.

# --- before
        (x - mean) / sqrt(variance + eps) * weight + bias
# --- after
        (x - mean) / sqrt(variance) * weight + bias
# --- before
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    return (x - mean) / torch.sqrt(variance) * weight + bias

# %% wrong: no axis kept
# The mean has lost the axis of the features, so it cannot be taken away from x. Keep the axis, of length 1.

# --- before
    mean = x.mean(dim=2, keepdim=True)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
# --- after
    mean = x.mean(dim=2)  # (B, T, 1)
    variance = (x - mean).square().mean(dim=2)

# %% wrong: divided by the root mean square
# x was divided by the root of its mean square and not centred (that is RMS norm, of later models). Take the mean away
# first, for the variance too.

# --- before
    variance = (x - mean).square().mean(dim=2, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
# --- after
    variance = x.square().mean(dim=2, keepdim=True)
    return x / torch.sqrt(variance + eps) * weight + bias

# %% wrong: statistics of all positions so far
# No position sees a later one, but each still shares its mean and variance with those before it. They are of its own D
# numbers alone.

def layer_norm(x, weight, bias, eps=1e-5):
    count = (torch.arange(x.shape[1]) + 1.0).view(1, -1, 1) * x.shape[2]
    mean = x.sum(dim=2, keepdim=True).cumsum(dim=1) / count
    variance = x.square().sum(dim=2, keepdim=True).cumsum(dim=1) / count - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

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
    return ((d - mean) / (variance + eps).sqrt()).float() * weight + bias

# %% correct: sums

def layer_norm(x, weight, bias, eps=1e-5):
    D = x.size(2)
    x = x - x.sum(2, keepdim=True) / D
    return torch.addcmul(bias, x / torch.sqrt((x * x).sum(2, keepdim=True) / D + eps), weight)

# %% correct: the centring matrix

def layer_norm(x, weight, bias, eps=1e-5):
    D = x.shape[-1]
    centred = x @ (torch.eye(D) - 1 / D)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias
