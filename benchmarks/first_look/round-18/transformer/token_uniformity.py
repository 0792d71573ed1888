# %% wrong: mean over the features
# Subtracts each token's own mean: wrong for any x whose tokens have features that differ.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=-1, keepdim=True)
    return rest.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)

# %% wrong: mean of the shares per token
# Divides token by token and averages: NaN for a sequence with one token of zeros, other numbers where norms differ.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return (rest.norm(dim=2) / x.norm(dim=2)).mean(dim=1)

# %% wrong: share of the squares
# The root is forgotten: for tokens 1 and 3 (D = 1) it gives 0.2, not its root.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return rest.square().sum(dim=(1, 2)) / x.square().sum(dim=(1, 2))

# %% wrong: squares that underflow
# Squares in float32: and a clamped norm: x * 1e-15 (or 1e-30) gives a smaller spread, or 0, instead of the same.

def token_spread(x: Tensor) -> Tensor:
    rest = x - x.mean(dim=1, keepdim=True)
    return rest.square().sum(dim=(1, 2)).sqrt() / x.square().sum(dim=(1, 2)).sqrt().clamp(min=1e-12)

# %% correct: scaled by the largest number

def token_spread(x: Tensor) -> Tensor:
    x = x / x.abs().amax(dim=(1, 2), keepdim=True)
    middle = torch.einsum("btd->bd", x) / x.shape[1]
    rest = x - middle[:, None]
    return torch.stack([torch.linalg.vector_norm(r) / torch.linalg.vector_norm(a) for r, a in zip(rest, x)])

# %% correct: in double, with dist

def token_spread(x: Tensor) -> Tensor:
    y = x.double()
    y = y / y.abs().flatten(1).max(dim=1).values.view(-1, 1, 1)
    rest = y.sub(y.sum(dim=1, keepdim=True).div(y.shape[1]))
    return (rest.pow(2).sum((1, 2)) / y.pow(2).sum((1, 2))).sqrt().to(x.dtype)

