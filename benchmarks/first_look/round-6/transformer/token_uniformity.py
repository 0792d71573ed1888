# %% wrong: mean of the tokens' own shares
# The share is taken for each token by itself and then averaged; both norms should run over all T * D numbers of
# the sequence.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return (rest.norm(dim=2) / x.norm(dim=2)).mean(dim=1)


# %% wrong: the mean over the features
# The mean of each token's own numbers is taken away, as a layer norm does it, and not the mean of the sequence's
# tokens.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% wrong: the matrix norm of the last two axes
# torch.linalg.matrix_norm with ord=2 is the largest singular value, not the root of the sum of all T * D squares.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    size = torch.linalg.matrix_norm(x, ord=2, dim=(1, 2))
    return torch.linalg.matrix_norm(rest, ord=2, dim=(1, 2)) / size


# %% wrong: by Pythagoras without a root
# The squared lengths are subtracted and divided, but the root is never taken: it is the square of the spread.

def token_spread(x: Tensor) -> Tensor:
    whole = x.pow(2).sum(dim=(1, 2))
    mean = x.mean(dim=1)
    common = x.shape[1] * mean.pow(2).sum(dim=-1)
    return (1 - common / whole).clamp(min=0)


# %% wrong: squeezed, and centred in place
# The caller's x loses its mean before its own length is measured, so that the share is always 1; and squeeze()
# makes a batch of one a scalar.

def token_spread(x: Tensor) -> Tensor:
    rest = x
    rest -= x.mean(dim=1, keepdim=True)
    top = torch.sqrt((rest ** 2).sum(dim=(1, 2), keepdim=True))
    bottom = torch.sqrt((x ** 2).sum(dim=(1, 2), keepdim=True))
    return (top / bottom).squeeze()


# %% correct: running sums in a loop over the tokens

def token_spread(x: Tensor) -> Tensor:
    tokens = x.unbind(dim=1)
    average = sum(tokens) / len(tokens)
    numerator = denominator = x.new_zeros(x.shape[0])
    for token in tokens:
        numerator = numerator + torch.einsum("bd,bd->b", token - average, token - average)
        denominator = denominator + torch.einsum("bd,bd->b", token, token)
    return torch.sqrt(numerator) / torch.sqrt(denominator)


# %% correct: by the deviation of each feature

def token_spread(x: Tensor) -> Tensor:
    spread_of_feature = x.std(dim=-2, unbiased=False)  # (B, D)
    root_mean_square = x.square().mean(dim=-2).sum(dim=-1).sqrt()
    return torch.linalg.vector_norm(spread_of_feature, dim=-1) / root_mean_square
