# %% wrong: every token's own share, then the mean
# The norms run over one token's D numbers, and the T ratios are averaged. Tokens of different lengths no longer count by their size, and a token of
# zeros divides by zero.

def token_spread(x: Tensor) -> Tensor:
    left = x - x.mean(dim=1, keepdim=True)
    return (left.norm(dim=2) / x.norm(dim=2)).mean(dim=1)


# %% wrong: mean of the squares minus square of the mean
# The same number on paper. In float32 two nearly equal numbers are subtracted: a spread of 1e-5 comes out as 0, as some 1e-4, or as the root of a
# negative number.

def token_spread(x: Tensor) -> Tensor:
    squares = x.square().sum(dim=(1, 2))
    of_mean = x.shape[1] * x.mean(dim=1).square().sum(dim=1)
    return torch.sqrt((squares - of_mean) / squares)


# %% wrong: from the standard deviation
# std divides by T - 1, which the factor puts right. But for a single token it is 0 / 0, and NaN times zero stays NaN where 0 is due (T = 1).

def token_spread(x: Tensor) -> Tensor:
    B, T, D = x.shape
    left = x.std(dim=1).norm(dim=1) * math.sqrt(T - 1)
    return left / x.flatten(1).norm(dim=1)


# %% wrong: tokens of zeros taken for padding
# The mean is over the tokens that are not zero, and the others are left out above too. A token of zeros counts like any other: (1, 0) and (0, 0) have
# a spread of about 0.71, not 0.

def token_spread(x: Tensor) -> Tensor:
    real = (x != 0).any(dim=2, keepdim=True).to(x.dtype)
    mean = (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)
    left = (x - mean) * real
    return left.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% correct: from all pairs of tokens

def token_spread(x: Tensor) -> Tensor:
    T = x.shape[1]
    x = x / x.detach().abs().amax(dim=(1, 2), keepdim=True)  # a ratio of norms: so nothing under- or overflows
    apart = [0 * x[:, 0, 0]]
    for offset in range(1, T):
        apart.append(torch.linalg.vector_norm(x[:, offset:] - x[:, :-offset], dim=(1, 2)))
    # the squared distances of all pairs add up to T times the squares of what is left
    left = torch.linalg.vector_norm(torch.stack(apart), dim=0) / math.sqrt(T)
    return left / torch.linalg.vector_norm(x, dim=(1, 2))


# %% correct: sequence by sequence, measured from the first token

def token_spread(x: Tensor) -> Tensor:
    spreads = []
    for sequence in x:
        scaled = sequence / sequence.detach().abs().max()
        from_first = [token - scaled[0] for token in scaled]  # exactly zero where all are the same
        mean = sum(from_first) / len(from_first)
        left = torch.cat([one - mean for one in from_first])
        spreads.append(torch.linalg.vector_norm(left) / torch.linalg.vector_norm(scaled))
    return torch.stack(spreads)
