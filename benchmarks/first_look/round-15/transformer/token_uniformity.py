# %% wrong: the norm of a matrix is its largest stretch
# matrix_norm with ord=2 is the spectral norm, the largest singular value, and not the root of the sum of all squares. The ratio is another wherever
# the tokens differ in more than one direction.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    return torch.linalg.matrix_norm(centred, ord=2) / torch.linalg.matrix_norm(x, ord=2)

# %% wrong: with the sample's variance
# var divides by T - 1, and multiplying by T does not undo that: too large by the root of T / (T - 1), and NaN for a sequence of one
# token, whose spread is 0.

def token_spread(x: Tensor) -> Tensor:
    length = x.shape[1]
    left = (x.var(dim=1) * length).sum(dim=1)  # (B,)
    return (left / x.square().sum(dim=(1, 2))).sqrt()

# %% wrong: tokens of zeros are padding
# A token of zeros is left out of the mean and of what is left over. It counts like any other: a sequence with one such token, or with half of them, comes out
# too small.

def token_spread(x: Tensor) -> Tensor:
    real = (x != 0).any(dim=2, keepdim=True).to(x.dtype)  # (B, T, 1)
    mean = (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)
    left = (x - mean) * real
    return left.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)

# %% wrong: token by token, then the mean
# Each token's distance is divided by its own norm, and the shares are averaged. Both norms should run over the sequence: shows where tokens differ in
# length, and a token of zeros divides by zero.

def token_spread(x: Tensor) -> Tensor:
    distance = (x - x.mean(dim=1, keepdim=True)).norm(dim=2)  # (B, T)
    return (distance / x.norm(dim=2)).mean(dim=1)

# %% correct: from the distances of all pairs

def token_spread(x: Tensor) -> Tensor:
    # the scale goes out of both norms, so that the squares of tiny and of huge numbers can be held
    x = x / x.abs().amax(dim=(1, 2), keepdim=True)
    pairs = x.unsqueeze(1) - x.unsqueeze(2)  # (B, T, T, D)
    # over all ordered pairs, the squared distances add up to 2 T times those from the mean
    left = pairs.square().sum(dim=(1, 2, 3)) / (2 * x.shape[1])
    return torch.sqrt(left / x.square().sum(dim=(1, 2)))

# %% correct: one sequence after another, its tokens turned into columns

def token_spread(x: Tensor) -> Tensor:
    found = []
    for tokens in x:  # (T, D)
        largest = tokens.abs().max()
        columns = (tokens / largest).T
        left = torch.stack([column - column.mean() for column in columns])
        whole = torch.stack([torch.dot(column, column) for column in columns]).sum()
        rest = torch.stack([torch.dot(column, column) for column in left]).sum()
        found.append(rest.sqrt() / whole.sqrt())
    return torch.stack(found)
