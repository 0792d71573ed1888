# %% wrong: the matrix norm of order two
# linalg.matrix_norm with ord=2 is the largest singular value, not the root of the sum of all
# squares. It shows for any x whose tokens differ in more than one direction, such as noise.

def token_spread(x: Tensor) -> Tensor:
    centered = x - x.mean(dim=1, keepdim=True)
    return torch.linalg.matrix_norm(centered, ord=2) / torch.linalg.matrix_norm(x, ord=2)


# %% wrong: Pythagoras in place of the subtraction
# ||x - mean||^2 = ||x||^2 - T ||mean||^2 is true on paper, but squares before it subtracts. It
# shows where tokens are nearly alike: ones plus noise of 1e-5 give 0 (or something random).

def token_spread(x: Tensor) -> Tensor:
    scale = x.abs().amax(dim=(1, 2), keepdim=True)
    x = x / scale
    whole = x.square().sum(dim=(1, 2))
    common = x.shape[1] * x.mean(dim=1).square().sum(dim=1)
    return ((whole - common).clamp(min=0) / whole).sqrt()


# %% wrong: zeros taken for padding
# A token of zeros is left out of the mean and of both norms, as if it were padding. It shows
# for a sequence with one token of zeros among others.

def token_spread(x: Tensor) -> Tensor:
    real = (x != 0).any(dim=2, keepdim=True)
    count = real.sum(dim=1, keepdim=True)
    mean = x.sum(dim=1, keepdim=True) / count
    centered = (x - mean) * real
    scale = x.abs().amax(dim=(1, 2), keepdim=True)
    return (centered / scale).norm(dim=(1, 2)) / (x / scale).norm(dim=(1, 2))


# %% wrong: the standard deviation, which divides by T - 1
# x.std over the tokens is Bessel's. Too large by the root of T / (T - 1), 1.41 in place of 1
# for two opposite tokens, and NaN in place of 0 for a sequence of one token.

def token_spread(x: Tensor) -> Tensor:
    size = x.square().mean(dim=1).sum(dim=1).sqrt()
    return x.std(dim=1).norm(dim=1) / size


# %% correct: a loop over the batch, scaled by the largest number first

def token_spread(x: Tensor) -> Tensor:
    spreads = []
    for sequence in x:
        sequence = sequence / sequence.detach().abs().max()
        apart = sequence - sequence.mean(dim=0)
        spreads.append((apart.square().sum() / sequence.square().sum()).sqrt())
    return torch.stack(spreads)


# %% correct: a centering matrix and hypot from token to token

def token_spread(x: Tensor) -> Tensor:
    length = x.shape[1]

    def norm(y: Tensor) -> Tensor:
        total = torch.linalg.vector_norm(y[:, 0] / largest, dim=1)
        for t in range(1, length):
            total = torch.hypot(total, torch.linalg.vector_norm(y[:, t] / largest, dim=1))
        return total

    largest = x.detach().abs().amax(dim=(1, 2)).unsqueeze(1)
    # the first token is taken from all before the mean is, so that alike tokens leave nothing
    apart = x - x[:, :1]
    center = torch.eye(length, dtype=x.dtype, device=x.device) - 1 / length
    return norm(torch.einsum("ts,bsd->btd", center, apart)) / norm(x)
