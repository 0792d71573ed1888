# %% wrong: each token's share, then the mean over the tokens
# Divides token by token and averages the shares; the norms were to run over all T * D numbers. Any
# sequence whose tokens differ in length shows it, and a token of zeros gives inf or NaN.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    share = centred.norm(dim=-1) / x.norm(dim=-1)  # (B, T)
    return share.mean(dim=1)


# %% wrong: PyTorch's standard deviation, with its T - 1
# std divides by T - 1, so every spread is too large by the root of T / (T - 1) (T = 2: 1.41 times),
# and one token alone gives NaN instead of 0.

def token_spread(x: Tensor) -> Tensor:
    T = x.shape[1]
    of_each_feature = x.std(dim=1)  # (B, D)
    return of_each_feature.norm(dim=1) * T**0.5 / x.flatten(1).norm(dim=1)


# %% wrong: the floor hidden in F.normalize
# F.normalize divides by max(norm, 1e-12), so a sequence whose norm is below 1e-12 (numbers of 1e-15, say)
# spreads by far too little. Tiny numbers were to spread like large ones.

def token_spread(x: Tensor) -> Tensor:
    unit = F.normalize(x.flatten(1), dim=1).view(x.shape)
    return (unit - unit.mean(dim=1, keepdim=True)).flatten(1).norm(dim=1)


# %% wrong: tokens of zeros are taken for padding
# The mean is over the tokens that are not zero and zeros are left out of the sum; the text says that
# they count like any other. x = [[[1, 0], [0, 0]]] gives 0 instead of 0.707.

def token_spread(x: Tensor) -> Tensor:
    real = (x != 0).any(dim=-1, keepdim=True).to(x.dtype)  # (B, T, 1)
    mean = (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)
    centred = (x - mean) * real
    return centred.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% correct: a running mean, token by token (Welford)

def token_spread(x: Tensor) -> Tensor:
    # a ratio of norms does not change with the size, so the largest number is made one
    x = x / x.detach().abs().amax(dim=(1, 2), keepdim=True)
    mean = torch.zeros_like(x[:, 0])
    steps = []
    for t, token in enumerate(x.unbind(dim=1), start=1):
        step = token - mean
        mean = mean + step / t
        steps.append(step * ((t - 1) / t) ** 0.5)  # its square is what the token adds
    off = torch.linalg.vector_norm(torch.stack(steps, dim=1), dim=(1, 2))
    return off / torch.linalg.vector_norm(x, dim=(1, 2))


# %% correct: from the differences of all pairs, without a mean

def token_spread(x: Tensor) -> Tensor:
    # the squared distances of all T * T pairs sum to 2 T times the squared distances from the mean
    B, T, D = x.shape
    largest = x.detach().abs().reshape(B, T * D).max(dim=1).values
    x = x / largest.view(B, 1, 1)
    pairs = x.unsqueeze(1) - x.unsqueeze(2)  # (B, T, T, D)
    apart = torch.linalg.vector_norm(pairs.reshape(B, T * T * D), dim=1) / (2 * T) ** 0.5
    return apart / torch.linalg.vector_norm(x.reshape(B, T * D), dim=1)
