# %% wrong: the mean of the features
# The mean is taken over the D features of each token and not over the tokens: tokens that are all the same vector do not give 0.
# Hint: which axis do the tokens stand on?

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=2, keepdim=True)
    return rest.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% wrong: a mean of ratios
# Each token gets a ratio of its own and the mean of these is returned; the docstring's norms run over all T * D numbers of a sequence.
# Hint: over how many numbers does each of your norms run?

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    ratios = centred.norm(dim=2) / x.norm(dim=2)  # (B, T)
    return ratios.mean(dim=1)


# %% wrong: the mean of the whole batch
# The mean runs over the batch too, so that one sequence's result depends on the others; right for a batch of one.
# Hint: put two different constant sequences into one batch.

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(dim=(0, 1), keepdim=True)
    return torch.linalg.vector_norm(x - mean, dim=(1, 2)) / torch.linalg.vector_norm(x, dim=(1, 2))


# %% wrong: the spectral norm
# torch.linalg.norm with ord=2 over two axes is the largest singular value, not the root of the sum of squares.
# Hint: compare it with x.square().sum().sqrt() for one sequence.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    return torch.linalg.norm(centred, ord=2, dim=(1, 2)) / torch.linalg.norm(x, ord=2, dim=(1, 2))


# %% correct: one sequence at a time

def share_of_its_own(sequence: Tensor) -> Tensor:
    common = sequence.sum(dim=0) / len(sequence)
    return torch.dist(sequence, common.expand_as(sequence), p=2) / torch.linalg.matrix_norm(sequence, ord="fro")


def token_spread(x: Tensor) -> Tensor:
    return torch.stack([share_of_its_own(sequence) for sequence in x.unbind(dim=0)])
