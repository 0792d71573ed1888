# %% wrong: spectral norm
# linalg.norm with ord=2 over two axes is the largest singular value, not the root of the sum of squares.
# Shows for any sequence whose centered tokens have more than one direction, such as randn(2, 5, 4).

def token_spread(x: Tensor) -> Tensor:

    centered = x - x.mean(dim=1, keepdim=True)
    return torch.linalg.norm(centered, ord=2, dim=(1, 2)) / torch.linalg.norm(x, ord=2, dim=(1, 2))


# %% wrong: subtracts the mean in place
# The norm of x is taken before, so the spread is right, but the caller's x has lost its mean afterwards: call it
# again with the same x and every spread is 1.

def token_spread(x: Tensor) -> Tensor:

    size = x.square().sum(dim=(1, 2)).sqrt()
    x -= x.mean(dim=1, keepdim=True)
    return x.square().sum(dim=(1, 2)).sqrt() / size


# %% wrong: zero tokens taken for padding
# The mean is taken over the tokens that are not all zeros, and the zero tokens are left out of the norm above, too.
# Shows for a sequence with a token of zeros, which counts like any other.

def token_spread(x: Tensor) -> Tensor:

    real = (x != 0).any(dim=2, keepdim=True).to(x.dtype)  # (B, T, 1)
    mean = (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)
    centered = (x - mean) * real
    return torch.linalg.vector_norm(centered, dim=(1, 2)) / torch.linalg.vector_norm(x, dim=(1, 2))


# %% wrong: shares of the features averaged
# For each feature its deviation over its size, then the mean over the features: a ratio of sums is not the mean of
# ratios. Shows wherever features differ in size, and gives NaN where a feature is zero in all tokens.

def token_spread(x: Tensor) -> Tensor:

    centered = x - x.mean(dim=1, keepdim=True)
    of_feature = torch.linalg.vector_norm(centered, dim=1) / torch.linalg.vector_norm(x, dim=1)  # (B, D)
    return of_feature.mean(dim=1)


# %% correct: from the differences of all pairs of tokens

def token_spread(x: Tensor) -> Tensor:

    # the sum over all ordered pairs of |x_i - x_j|^2 is 2 T times the sum of |x_i - mean|^2
    x = x / x.abs().amax(dim=(1, 2), keepdim=True)  # so that no square is too small or too large
    tokens = x.shape[1]
    pairs = torch.zeros_like(x[:, 0, 0])
    for shift in range(1, tokens):
        pairs = pairs + (x - x.roll(shift, dims=1)).square().sum(dim=(1, 2))
    return (pairs / (2 * tokens)).sqrt() / x.square().sum(dim=(1, 2)).sqrt()


# %% correct: sequence by sequence, in double precision, with a matrix that centers

def token_spread(x: Tensor) -> Tensor:

    tokens = x.shape[1]
    center = torch.eye(tokens, dtype=torch.float64, device=x.device) - 1 / tokens
    spreads = []
    for sequence in x.double():
        sequence = sequence / sequence.abs().max()
        left = center @ (sequence - sequence[0])  # a shift of all tokens changes nothing
        spreads.append(left.norm() / sequence.norm())
    return torch.stack(spreads).to(x.dtype)
