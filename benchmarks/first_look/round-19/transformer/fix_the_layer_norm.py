# %% wrong: half mended
# The mean is each position's own now, the variance still runs over the whole sentence. Right for a single token
# only: with T of 2 or more a position's scale depends on later ones.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: torch.var as it comes
# x.var divides by D - 1. Differs by sqrt(D / (D - 1)) for every D, most for small ones, and is NaN for D = 1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps outside of the root
# Divides by sqrt(variance) + eps. Hardly visible at variance 1 and eps 1e-5; shows for x times 1e-3, or for eps=0.1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centered = x - x.mean(dim=-1, keepdim=True)
    deviation = centered.square().mean(dim=-1, keepdim=True).sqrt()
    return centered / (deviation + eps) * weight + bias


# %% wrong: mean and variance as constants
# The output is right, but detach keeps the gradient from flowing through mean and variance: x.grad differs from that
# of F.layer_norm for any x that needs a gradient.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True).detach()
    variance = (x - mean).square().mean(dim=2, keepdim=True).detach()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: running mean and variance, one feature after the other
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    # Welford (1962): the squared distances from the mean, kept up to date
    mean, squares = torch.zeros_like(x[..., 0]), torch.zeros_like(x[..., 0])
    for count, feature in enumerate(x.unbind(dim=-1), 1):
        step = feature - mean
        mean = mean + step / count
        squares = squares + step * (feature - mean)
    scale = torch.rsqrt(squares / x.shape[-1] + eps)
    return torch.addcmul(bias, (x - mean.unsqueeze(-1)) * scale.unsqueeze(-1), weight)


# %% correct: shifted by the first feature, summed by a matrix
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    size = x.shape[-1]
    averaging = torch.full((size, size), 1 / size, dtype=x.dtype, device=x.device)
    shifted = x - x[..., :1]  # a shift changes nothing, and keeps large means from rounding
    centered = shifted - shifted @ averaging
    variance = (centered * centered) @ averaging  # the same number in every feature
    return centered * (variance + eps).pow(-0.5) * weight + bias
