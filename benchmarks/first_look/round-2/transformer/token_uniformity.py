# %% wrong: the mean of all numbers
# The mean runs over tokens AND features, one number a sequence: tokens that are all the same vector then have a spread above zero. A good message: "all tokens alike: expected 0; subtract a mean vector (B, 1, D), not a number".

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=(1, 2), keepdim=True)
    return centred.norm(dim=(1, 2)) / x.norm(dim=(1, 2))

# %% wrong: a ratio for each token, then their mean
# Norms run over the features only and the ratios are averaged; a token that is zero gives a division by zero. A good message: "both norms run over all T * D numbers of a sequence; a sequence may hold a zero token".

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(1, keepdim=True)
    return ((x - mean).norm(dim=-1) / x.norm(dim=-1)).mean(dim=1)

# %% wrong: one mean for the whole batch, and in the caller's tensor
# x -= ... changes the argument, and the second norm is then that of the centred tensor: always 1 (or NaN for equal tokens). A good message: "x has changed; take the norm of x before you centre it, or centre a copy".

def token_spread(x: Tensor) -> Tensor:
    y = x
    y -= y.mean(dim=1, keepdim=True)
    return torch.linalg.vector_norm(y, dim=(1, 2)) / torch.linalg.vector_norm(x, dim=(1, 2))

# %% correct: one sequence at a time, mapped

def token_spread(x: Tensor) -> Tensor:
    def of_one(sequence: Tensor) -> Tensor:
        apart = sequence - sequence.mean(dim=0)
        return torch.linalg.vector_norm(apart) / torch.linalg.vector_norm(sequence)

    return torch.vmap(of_one)(x)
