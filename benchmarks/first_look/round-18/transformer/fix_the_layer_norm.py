# %% wrong: only the mean is mended
# The variance still runs over the tokens: any x with more than one token.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: unbiased variance
# Divides by D - 1: any x, most for small D.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(dim=-1, keepdim=True) + eps) * weight + bias

# %% wrong: eps outside the root
# Shows where the variance is about eps or smaller.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (torch.sqrt(variance) + eps) * weight + bias

# %% wrong: mean square minus squared mean
# Rounding: a token near 10,000 in float32 gives a wrong, even negative variance.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% correct: rsqrt and einsum

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x = x - x.mean(dim=-1, keepdim=True)
    variance = torch.einsum("btd,btd->bt", x, x) / x.shape[2]
    return torch.addcmul(bias, x * torch.rsqrt(variance + eps)[..., None], weight)

# %% correct: token by token

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    rows = []
    for row in x.flatten(0, 1).unbind():
        rest = row - row.sum() / row.numel()
        rows.append(rest * (rest.var(correction=0) + eps) ** -0.5 * weight + bias)
    return torch.stack(rows).view(x.shape)

