# %% wrong: half of it is mended
# The mean is each position's own now, the variance is still that of the whole sequence: position 0 still feels
# what stands at position 5. Any x with more than one position shows it.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: x.var divides by D - 1
# torch's var is the unbiased one by default; the variance was to be divided by D. Any x shows it (D = 16: off
# by three per cent), and D = 1 gives NaN.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps beside the root
# Divides by the standard deviation plus eps; eps was to stay under the root. Shows where the variance is small
# beside eps: numbers of size 0.001, or a large eps.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    deviation = torch.sqrt((x - mean).square().mean(dim=-1, keepdim=True))
    return (x - mean) / (deviation + eps) * weight + bias


# %% wrong: mean and variance of all positions so far
# Mends what the test shows: no output moves when a later token does. But a position is still normed with the
# numbers of those before it, not by its own D alone. Right at position 0, wrong from position 1 on.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    T = x.shape[1]
    so_far = torch.arange(1, T + 1, device=x.device).view(1, T, 1)
    mean = x.mean(dim=-1, keepdim=True).cumsum(dim=1) / so_far
    variance = x.square().mean(dim=-1, keepdim=True).cumsum(dim=1) / so_far - mean.square()
    return (x - mean) / torch.sqrt(variance.clamp(min=0) + eps) * weight + bias


# %% correct: eps is one feature more under the norm

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    # sqrt(sum(c^2) / D + eps) is the length of c / sqrt(D) with sqrt(eps) behind it
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    with_eps = F.pad(centred / D**0.5, (0, 1), value=eps**0.5)
    length = torch.linalg.vector_norm(with_eps, dim=-1, keepdim=True)
    return torch.addcmul(bias, centred / length, weight)


# %% correct: one position at a time, by dot products

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    D = x.shape[-1]
    rows = []
    for position in x.reshape(-1, D):
        centred = position - position.sum() / D
        rows.append(centred * torch.rsqrt(torch.dot(centred, centred) / D + eps) * weight + bias)
    return torch.stack(rows).reshape(x.shape)
