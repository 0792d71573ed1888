# %% wrong: the mean is taken over the features
# Each token loses its own mean, as in a layer norm, and not the tokens' common vector: equal tokens do not give 0.


def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred.norm(dim=(1, 2)) / x.norm(dim=(1, 2))


# %% wrong: each token's share, then their mean
# The norms run over one token's D numbers, and the ratios are averaged: tokens of different lengths count alike.
# Differs on any noise of more than one token, most where one token is much longer than the others.


def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    share = centred.norm(dim=-1) / x.norm(dim=-1)
    return share.mean(dim=1)


# %% wrong: the matrix norm of order 2
# ord=2 over two axes is the largest singular value and not the root of the sum of all squares: differs wherever the
# centred tokens or the tokens span more than one direction.


def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    return torch.linalg.norm(centred, ord=2, dim=(1, 2)) / torch.linalg.norm(x, ord=2, dim=(1, 2))


# %% wrong: by Pythagoras, through a difference of nearly equal numbers
# ||x||^2 = ||x - mean||^2 + T ||mean||^2 is true, but where the tokens are (nearly) alike the difference is rounding:
# in float32 equal tokens give 3e-4 or nan in place of 0.


def token_spread(x: Tensor) -> Tensor:
    whole = x.square().sum(dim=(1, 2))
    common = x.shape[1] * x.mean(dim=1).square().sum(dim=1)
    return torch.sqrt(1 - common / whole)


# %% correct: a centring matrix over the tokens, one sequence after the other


def token_spread(x: Tensor) -> Tensor:
    num_tokens = x.shape[1]
    centring = torch.eye(num_tokens, dtype=x.dtype, device=x.device) - 1 / num_tokens
    spreads = []
    for sequence in x:
        sequence = sequence / sequence.detach().abs().max()  # the share does not depend on the size
        spreads.append(torch.linalg.vector_norm(centring @ sequence) / torch.linalg.vector_norm(sequence))
    return torch.stack(spreads) if spreads else x.new_zeros(0)


# %% correct: the mean token accumulated in a loop, a length of lengths


def token_spread(x: Tensor) -> Tensor:
    x = x / x.detach().abs().amax(dim=(1, 2), keepdim=True)  # a share does not depend on the size
    mean = torch.zeros_like(x[:, 0])
    for count, token in enumerate(x.unbind(dim=1), start=1):
        mean = mean + (token - mean) / count

    def length(tokens: list[Tensor]) -> Tensor:
        of_each = [torch.linalg.vector_norm(token, dim=1) for token in tokens]
        return torch.linalg.vector_norm(torch.stack(of_each), dim=0)

    return length([token - mean for token in x.unbind(dim=1)]) / length(list(x.unbind(dim=1)))
