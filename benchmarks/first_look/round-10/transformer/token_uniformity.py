# %% wrong: one ratio a token, averaged
# The norms run over each token's D numbers, not over the sequence's T * D, and the ratios are averaged.
# Shows for every x whose tokens have different lengths.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return (rest.norm(dim=2) / x.norm(dim=2)).mean(dim=1)


# %% wrong: the mean is that of the whole batch
# The mean is taken over the tokens of all sequences: "mean of x over its tokens" is each sequence's own.
# Shows for B > 1 with sequences of different means; right for B = 1.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=(0, 1))
    return rest.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)


# %% wrong: by Pythagoras, with the rounding left in
# ||rest||^2 as ||x||^2 - T ||mean||^2: where all tokens are the same vector (or T = 1) the difference of two equal numbers
# is rounding, and the result is some 3e-4 or NaN (root of a negative) where 0 is promised.

def token_spread(x: Tensor) -> Tensor:
    whole = x.square().sum(dim=(1, 2))
    shared = x.shape[1] * x.mean(dim=1).square().sum(dim=1)
    return torch.sqrt(1 - shared / whole)


# %% wrong: a small number under the line
# 1e-6 is added to the norm against a division by zero, which the docstring has excluded: the share is too small for
# a sequence of small numbers, e.g. x = 1e-7 * randn(2, 3, 4) in float32, or a mean of zero and tiny tokens (1 promised).

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return rest.flatten(1).norm(dim=1) / (x.flatten(1).norm(dim=1) + 1e-6)


# %% correct: from the differences of all pairs
# The squared distances of all T * T pairs add up to 2 T times those from the mean.
def token_spread(x: Tensor) -> Tensor:
    pairs = (x.unsqueeze(2) - x.unsqueeze(1)).flatten(1)
    return torch.linalg.vector_norm(pairs, dim=1) / (
        (2 * x.shape[1]) ** 0.5 * torch.linalg.vector_norm(x.flatten(1), dim=1)
    )


# %% correct: one sequence after another, in units of its largest number

def token_spread(x: Tensor) -> Tensor:
    found = []
    for sequence in x.unbind(0):
        scaled = sequence / sequence.detach().abs().max()
        middle = sum(scaled.unbind(0)) / len(scaled)
        rest = torch.cat([token - middle for token in scaled.unbind(0)])
        found.append(torch.linalg.vector_norm(rest) / torch.linalg.vector_norm(scaled))
    return torch.stack(found)
