# %% wrong: the mean is taken over the features
# dim=-1 takes each token's own mean away instead of the sequence's mean token. Tokens that are
# all the same vector do not give 0: shows for nearly every x.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)

# %% wrong: one share per token, then their mean
# The norms run over D only, and the T shares are averaged; asked is one norm over all T * D numbers.
# Shows where tokens have different lengths, so for nearly every x with T > 1.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return (rest.norm(dim=-1) / x.norm(dim=-1)).mean(dim=1)

# %% wrong: the mean is subtracted in place
# The length is taken in time, but x -= mean changes the caller's tensor: a second call with the
# same x gives 1, and an x that requires a gradient raises.

def token_spread(x: Tensor) -> Tensor:
    whole = torch.linalg.vector_norm(x, dim=(1, 2))
    x -= x.mean(dim=1, keepdim=True)
    return torch.linalg.vector_norm(x, dim=(1, 2)) / whole

# %% wrong: Pythagoras, where everything cancels
# ||x - m||^2 = ||x||^2 - T ||m||^2 is right on paper; for tokens that are all the same vector rounding
# leaves 1e-7 (root 3e-4) or a negative number (nan) in place of 0. Shows for x = one vector repeated.

def token_spread(x: Tensor) -> Tensor:
    whole = x.square().sum(dim=(1, 2))
    shared = x.shape[1] * x.mean(dim=1).square().sum(dim=1)
    return torch.sqrt(1 - shared / whole)

# %% correct: from the differences of all pairs

def token_spread(x: Tensor) -> Tensor:
    # the squared distances from the mean sum to those of all ordered pairs, divided by 2 T
    tokens = x.shape[1]
    pairs = x.unsqueeze(1) - x.unsqueeze(2)
    apart = torch.linalg.vector_norm(pairs, dim=(1, 2, 3)) / math.sqrt(2 * tokens)
    return apart / torch.linalg.vector_norm(x, dim=(1, 2))

# %% correct: a centring matrix, one sequence after the other

def token_spread(x: Tensor) -> Tensor:
    tokens = x.shape[1]
    centring = torch.eye(tokens, dtype=x.dtype, device=x.device) - 1 / tokens
    shares = x.new_zeros(x.shape[0])
    for b, sequence in enumerate(x):
        share = torch.linalg.matrix_norm(centring @ sequence) / torch.linalg.matrix_norm(sequence)
        shares = shares.index_put((torch.tensor([b], device=x.device),), share.reshape(1))
    return shares
