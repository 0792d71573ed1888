# %% wrong: the mean of each token's own share
# The ratio is taken token by token and averaged. Other numbers wherever the tokens' norms differ, and NaN for a
# sequence with a token of zeros, which should count like any other.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return (rest.norm(dim=2) / x.norm(dim=2)).mean(dim=1)

# %% wrong: a small number under the fraction
# 1e-8 is added to the norm, "to be safe": for tokens of about 1e-9 the spread comes out far too small.

def token_spread(x: Tensor) -> Tensor:
    rest = (x - x.mean(dim=1, keepdim=True)).flatten(1)
    return rest.norm(dim=1) / (x.flatten(1).norm(dim=1) + 1e-8)

# %% wrong: squares first, then the difference
# ||x||^2 - T ||mean||^2 is the same on paper. With nearly equal tokens (a spread of 1e-4 in float32) it is
# rounding, zero, or the root of a negative number: NaN.

def token_spread(x: Tensor) -> Tensor:
    T = x.shape[1]
    whole = x.square().sum(dim=(1, 2))
    common = T * x.mean(dim=1).square().sum(dim=1)
    return torch.sqrt((whole - common) / whole)

# %% wrong: one mean number instead of a mean token
# The mean runs over tokens and features. Tokens that are all the same vector, with features that differ, get a spread
# above 0.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=(1, 2), keepdim=True)
    return torch.linalg.vector_norm(rest, dim=(1, 2)) / torch.linalg.vector_norm(x, dim=(1, 2))

# %% correct: from the differences of all pairs of tokens

def token_spread(x: Tensor) -> Tensor:
    T = x.shape[1]
    # the spread does not depend on the scale: bring the largest number to one, so that no square vanishes
    x = x / x.detach().abs().amax(dim=(1, 2), keepdim=True)
    pairs = x.unsqueeze(1) - x.unsqueeze(2)  # (B, T, T, D)
    # the squares of all differences add up to 2 T times the squares around the mean
    between = torch.linalg.vector_norm(pairs.flatten(1), dim=1) / math.sqrt(2 * T)
    return between / torch.linalg.vector_norm(x.flatten(1), dim=1)

# %% correct: sequence by sequence, seen from its first token

def token_spread(x: Tensor) -> Tensor:
    spreads = []
    for tokens in x:
        tokens = tokens / tokens.detach().abs().max()
        moved = tokens - tokens[0]  # exact zeros where the tokens are the same
        spreads.append(torch.dist(moved, moved.mean(dim=0)) / torch.dist(tokens, torch.zeros_like(tokens)))
    return torch.stack(spreads)
