# %% wrong: the standard deviation of the tokens
# x.std divides by T - 1 instead of T, so the result is sqrt(T / (T - 1)) times too large for any T above 1,
# and NaN for a sequence of one token.

def token_spread(x: Tensor) -> Tensor:
    B, T, D = x.shape
    away = (x.std(dim=1) * T**0.5).norm(dim=1)  # (B,): root of the sum of squares over T and D
    return away / x.flatten(1).norm(dim=1)


# %% wrong: F.normalize makes the sequence one long
# F.normalize clamps the norm at 1e-12: a sequence times 1e-15 keeps almost its size, and its spread comes out
# a thousand times too small.

def token_spread(x: Tensor) -> Tensor:
    unit = F.normalize(x.flatten(1), dim=1).view_as(x)  # ||x|| = 1, the ratio stays
    return (unit - unit.mean(dim=1, keepdim=True)).flatten(1).norm(dim=1)


# %% wrong: a mean of the tokens' own shares
# Takes the ratio of norms token by token and averages; the two norms have to run over all T * D numbers. Differs
# wherever the tokens are not equally long, and is inf or NaN with a token of zeros.

def token_spread(x: Tensor) -> Tensor:
    away = x - x.mean(dim=1, keepdim=True)
    return (away.norm(dim=2) / x.norm(dim=2)).mean(dim=1)


# %% wrong: tokens of zeros are taken for padding
# Leaves tokens of zeros out of the mean and of the upper norm; the text says that they count like any other.
# Shows for x = [[[1., 1.], [0., 0.]]], which gives 0 instead of 0.7.

def token_spread(x: Tensor) -> Tensor:
    real = (x != 0).any(dim=2, keepdim=True)
    mean = x.sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)
    away = torch.where(real, x - mean, torch.zeros_like(x))
    return away.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% correct: from the distances of all pairs, by rolling
def token_spread(x: Tensor) -> Tensor:
    # the sum over all pairs of |x_s - x_t|^2 is 2 T times the sum of the squared distances from the mean
    x = x / x.abs().amax(dim=(1, 2), keepdim=True)  # so that no square is too small or too large
    length = x.shape[1]
    pairs = torch.zeros_like(x[:, 0, 0])
    for apart in range(1, length):
        gap = x - x.roll(apart, dims=1)
        pairs = pairs + torch.einsum("btd,btd->b", gap, gap)
    return (pairs / (2 * length) / torch.einsum("btd,btd->b", x, x)).sqrt()


# %% correct: norms by hypot, halving the numbers again and again
def hypot_of_all(numbers: Tensor) -> Tensor:
    """(B, N) -> (B,): the root of the sum of the squares, without squaring anything."""
    while numbers.shape[1] > 1:
        if numbers.shape[1] % 2:
            numbers = F.pad(numbers, (0, 1))
        numbers = torch.hypot(numbers[:, 0::2], numbers[:, 1::2])
    return numbers[:, 0].abs()


def token_spread(x: Tensor) -> Tensor:
    from_first = x - x[:, :1]  # the spread does not mind a shift, and equal tokens become exactly zero
    away = from_first - from_first.mean(dim=1, keepdim=True)
    return hypot_of_all(away.flatten(1)) / hypot_of_all(x.flatten(1))
