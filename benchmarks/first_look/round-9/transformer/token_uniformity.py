# %% wrong: the mean over the features
# Takes away each token's own mean over D, as a layer norm does, not the mean of the tokens.
# Shows for any x: tokens that are all the same vector do not give 0.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% wrong: a ratio for each token, then their mean
# The norms run over D alone and the T ratios are averaged, where both norms should run over T * D numbers.
# Shows wherever the tokens have different lengths; a token that is zero gives inf.

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    left = torch.linalg.norm(x - mean, dim=-1)
    whole = torch.linalg.norm(x, dim=-1)
    return (left / whole).mean(dim=1)


# %% wrong: from the standard deviation of the tokens
# torch.std divides by T - 1, so the spread is too large by sqrt(T / (T - 1)), and above 1 where the mean is zero.
# Shows for every small T; a single token gives nan.

def token_spread(x: Tensor) -> Tensor:
    num_tokens = x.shape[1]
    deviation = x.std(dim=1)
    left = math.sqrt(num_tokens) * deviation.norm(dim=-1)
    return left / x.norm(dim=(1, 2))


# %% wrong: the mean is taken away in place
# The number is right, but the caller's x has lost its mean afterwards; a second call gives 1.
# Shows for any x whose tokens do not have mean zero.

def token_spread(x: Tensor) -> Tensor:
    whole = torch.linalg.vector_norm(x, dim=(1, 2))
    x -= x.mean(dim=1, keepdim=True)
    left = torch.linalg.vector_norm(x, dim=(1, 2))
    return left / whole


# %% correct: from the differences of all pairs

def token_spread(x: Tensor) -> Tensor:
    pairs = x.unsqueeze(2) - x.unsqueeze(1)  # (B, T, T, D): the squares sum to 2 T times those around the mean
    left = torch.linalg.vector_norm(pairs, dim=(1, 2, 3)) / math.sqrt(2 * x.shape[1])
    return left / torch.linalg.vector_norm(x, dim=(1, 2))


# %% correct: coordinates orthogonal to the mean

def helmert_rows(count: int, like: Tensor) -> Tensor:
    """(count - 1, count): orthonormal rows, each of which sums to zero."""
    rows = like.new_zeros(count - 1, count)
    for k in range(1, count):
        rows[k - 1, :k] = 1 / math.sqrt(k * (k + 1))
        rows[k - 1, k] = -k / math.sqrt(k * (k + 1))
    return rows


def token_spread(x: Tensor) -> Tensor:
    apart = torch.einsum("kt,btd->bkd", helmert_rows(x.shape[1], x), x)
    return torch.linalg.vector_norm(apart, dim=(1, 2)) / torch.linalg.vector_norm(x, dim=(1, 2))
