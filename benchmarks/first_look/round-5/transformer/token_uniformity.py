# %% wrong: the spectral norm in place of the length
# With two axes, ord=2 of torch.linalg.norm is the largest singular value of the matrix and not the root of the
# sum of all squares.

def token_spread(x: Tensor) -> Tensor:
    apart = x - x.mean(dim=1, keepdim=True)
    return torch.linalg.norm(apart, ord=2, dim=(1, 2)) / torch.linalg.norm(x, ord=2, dim=(1, 2))


# %% wrong: one number for the whole batch
# Both norms run over all sequences at once, so that every sequence gets the same value; right for a batch of one.

def token_spread(x: Tensor) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    spread = (x - mean).norm() / x.norm()
    return spread.expand(x.shape[0])


# %% wrong: a mean of the shares of single tokens
# The share is formed token by token and then averaged, instead of one length for all T * D numbers.

def token_spread(x: Tensor) -> Tensor:
    centred = x - x.mean(1, keepdim=True)
    per_token = centred.norm(dim=-1) / x.norm(dim=-1)
    return per_token.mean(dim=-1)


# %% wrong: by the standard deviation over the tokens
# std of PyTorch divides by T - 1, so that the result is too large by the root of T / (T - 1), and nan for a
# single token.

def token_spread(x: Tensor) -> Tensor:
    T = x.shape[1]
    deviation = x.std(dim=1)  # (B, D)
    return deviation.norm(dim=1) * math.sqrt(T) / x.flatten(1).norm(dim=1)


# %% wrong: the mean is taken away in place
# The number is right, but the caller's x has lost its mean afterwards.

def token_spread(x: Tensor) -> Tensor:
    whole = x.flatten(start_dim=1).norm(dim=1)
    x -= x.mean(dim=1, keepdim=True)
    left = x.flatten(start_dim=1).norm(dim=1)
    return left / whole


# %% correct: sequence by sequence

def length_of(vectors: list[Tensor]) -> Tensor:
    total = vectors[0].new_zeros(())
    for vector in vectors:
        total = total + torch.dot(vector, vector)
    return total.sqrt()


def token_spread(x: Tensor) -> Tensor:
    spreads = []
    for sequence in x:
        tokens = list(sequence)
        centre = sum(tokens) / len(tokens)
        spreads.append(length_of([token - centre for token in tokens]) / length_of(tokens))
    return torch.stack(spreads)


# %% correct: a centring matrix and einsum

def token_spread(x: Tensor) -> Tensor:
    count = x.size(1)
    centring = torch.eye(count, dtype=x.dtype, device=x.device) - 1.0 / count
    left = torch.einsum("st,btd->bsd", centring, x)
    return (torch.einsum("btd,btd->b", left, left) / torch.einsum("btd,btd->b", x, x)) ** 0.5
