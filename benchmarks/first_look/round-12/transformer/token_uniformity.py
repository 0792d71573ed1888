# %% wrong: one mean for everything
# The mean is taken over tokens and features, so tokens that are all the same vector still "spread".
# Shows for a sequence of equal tokens (1 token too): not 0 as soon as D is above 1.

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(dim=(1, 2), keepdim=True)
    return (x - mean).flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)

# %% wrong: squares without the root
# A ratio of sums of squares, not of norms: the spread comes out squared.
# Shows wherever the spread is neither 0 nor 1, that is for nearly every input.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return rest.square().sum(dim=(1, 2)) / x.square().sum(dim=(1, 2))

# %% wrong: the mean of each token's share
# Each token's distance is divided by that token's own norm, and the shares are averaged.
# Shows where the tokens differ in length; a token of zeros gives a division by zero (inf).

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    return ((x - mean).norm(dim=2) / x.norm(dim=2)).mean(dim=1)

# %% wrong: by Pythagoras
# ||x - mean||^2 = ||x||^2 - T ||mean||^2 is true on paper, but it squares before it subtracts.
# Shows for nearly equal tokens (a spread of 1e-5 in float32): rounding gives 0 or some 1e-4.

def token_spread(x: Tensor) -> Tensor:
    T = x.shape[1]
    whole = x.square().sum(dim=(1, 2))
    of_mean = T * x.mean(dim=1).square().sum(dim=1)
    return ((whole - of_mean).clamp(min=0) / whole).sqrt()

# %% correct: counted from the first token, at size one

# Everything is brought to size one first, and the tokens are measured from the first of them.

def token_spread(x: Tensor) -> Tensor:
    size = x.detach().abs().amax(dim=(1, 2), keepdim=True)
    scaled = x / size
    offset = scaled - scaled[:, :1]
    rest = offset - offset.mean(dim=1, keepdim=True)
    return torch.linalg.vector_norm(rest, dim=(1, 2)) / torch.linalg.vector_norm(scaled, dim=(1, 2))

# %% correct: one sequence after the other

# A loop over the batch; the centering is a sum of differences, the norms are numbers of a flat vector.

def token_spread(x: Tensor) -> Tensor:
    spreads = []
    for sequence in x:
        sequence = sequence / sequence.detach().abs().max()
        centre = sequence.sum(dim=0).div(len(sequence)).expand_as(sequence)
        rest = torch.sub(sequence, centre).reshape(-1)
        spreads.append(torch.dist(rest, torch.zeros_like(rest)) / sequence.reshape(-1).norm())
    return torch.stack(spreads)
