# %% wrong: the mean of each token's own numbers taken away
# The mean runs over the features (dim 2) instead of over the tokens. What remains of a token then has nothing to do with
# the other tokens: a sequence of equal tokens does not give 0.
# Hint: which axis counts the tokens? Try a sequence of five equal tokens.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=2, keepdim=True)
    return rest.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% wrong: a share for each token, and the mean of the shares
# Each token's rest is divided by that token's own length, and the shares are averaged. Both ends, 0 and 1, look right, and
# between them short tokens count as much as long ones.
# Hint: over how many numbers do the two norms of the docstring run? Try tokens of very different lengths.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return (rest.norm(dim=2) / x.norm(dim=2)).mean(dim=1)


# %% wrong: squares without the root
# It is the share of the sum of squares. At 0 and at 1 it agrees with what is asked for, between them it is too small.
# Hint: a norm is the root of a sum of squares. What does your function give where the spread should be one half?

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    return centred.square().sum(dim=(1, 2)) / x.square().sum(dim=(1, 2))


# %% wrong: the largest singular value for the norm
# torch.linalg.norm with ord=2 over two axes is the spectral norm, which sees one direction of the matrix only. The norm
# that is asked for runs over all T * D numbers.
# Hint: compute the norm of an identity matrix by hand and with your call.

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    return torch.linalg.norm(x - mean, ord=2, dim=(1, 2)) / torch.linalg.norm(x, ord=2, dim=(1, 2))


# %% correct: sequence by sequence

def token_spread(x: Tensor) -> Tensor:
    def share(tokens: Tensor) -> Tensor:  # (T, D)
        common = tokens.sum(dim=0) / len(tokens)
        return torch.dist(tokens, common.expand_as(tokens)) / torch.linalg.vector_norm(tokens)

    return torch.stack([share(tokens) for tokens in x])


# %% correct: brought to length one first

def token_spread(x: Tensor) -> Tensor:
    unit = x / torch.linalg.matrix_norm(x, ord="fro", keepdim=True)  # (B, T, D), each sequence of length one
    different = unit - torch.einsum("btd->bd", unit).div(x.shape[1]).unsqueeze(1)
    return torch.linalg.vector_norm(different, dim=(-2, -1))
