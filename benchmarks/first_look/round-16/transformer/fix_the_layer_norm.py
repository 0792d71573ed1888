# %% wrong: statistics of the positions so far
# The leak is closed by making mean and variance causal, over all positions up to t. Right for one
# token; at position 1 and later the numbers of the earlier positions still count.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    count = torch.arange(1, x.shape[1] + 1, device=x.device, dtype=x.dtype).view(1, -1, 1)
    mean = x.mean(dim=2, keepdim=True).cumsum(dim=1) / count
    variance = (x - mean).square().mean(dim=2, keepdim=True).cumsum(dim=1) / count
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps as a lower bound
# eps is not added to the variance but bounds it from below. It shows with an eps of the variance's
# size, such as 0.1, and for positions whose numbers are nearly alike.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance.clamp(min=eps)) * weight + bias


# %% wrong: centered in place
# x -= mean saves a tensor, and leaves the caller's x centered (an x of the residual stream, which is
# still needed). It shows in x after the call, and raises for a leaf that requires a gradient.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x -= x.mean(dim=2, keepdim=True)
    variance = x.square().mean(dim=2, keepdim=True)
    return x / torch.sqrt(variance + eps) * weight + bias


# %% wrong: scaled to a fixed length
# F.normalize makes the centered vector as long as the root of D, and uses eps as its own: the least
# length. It shows with a large eps, or where a position's numbers lie within 0.01 of each other.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centered = x - x.mean(dim=2, keepdim=True)
    return F.normalize(centered, dim=2, eps=eps) * x.shape[2] ** 0.5 * weight + bias


# %% correct: var_mean and addcmul

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, weight, (x - mean) * (variance + eps).rsqrt())


# %% correct: position by position, the variance as a dot product

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    columns = []
    for position in x.unbind(dim=1):
        apart = position - (position.sum(dim=1) / x.shape[2]).unsqueeze(1)
        squares = torch.einsum("bd,bd->b", apart, apart)
        columns.append(apart / (squares / x.shape[2] + eps).sqrt().unsqueeze(1) * weight + bias)
    return torch.stack(columns, dim=1)
