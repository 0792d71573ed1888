# %% wrong: the variance is divided by D - 1
# torch.var is unbiased unless told otherwise, so it divides by D - 1 and not by D.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: mean mended, variance forgotten
# Only the mean is taken over the last axis alone; the variance still runs over all positions of a sequence.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: statistics over the positions so far
# To be causal it takes cumulative means over positions 0 to t. No future leaks, but the numbers are not those of
# each position alone.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    count = torch.arange(1, x.shape[1] + 1, device=x.device, dtype=x.dtype).view(1, -1, 1)
    mean = x.mean(dim=2, keepdim=True).cumsum(dim=1) / count
    second = x.square().mean(dim=2, keepdim=True).cumsum(dim=1) / count
    variance = (second - mean.square()).clamp(min=0)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: the caller's tensor is centred in place
# The result is right, but x itself is overwritten by x minus its mean, which spoils the residual stream (and fails
# on a leaf that requires a gradient).

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x -= x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(variance + eps) * weight + bias


# %% wrong: the statistics are detached
# Mean and deviation are computed without gradient as if they were constants, so that the values agree with
# F.layer_norm but the gradient with respect to x does not.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    with torch.no_grad():
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).square().mean(dim=-1, keepdim=True)
        scale = torch.rsqrt(variance + eps)
    return (x - mean) * scale * weight + bias


# %% correct: by inner products with a vector of ones

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    features = x.shape[-1]
    ones = x.new_ones(features)
    centred = x - torch.einsum("btd,d->bt", x, ones).unsqueeze(-1) / features
    squares = torch.einsum("btd,btd->bt", centred, centred) / features
    return torch.einsum("btd,bt,d->btd", centred, (squares + eps) ** -0.5, weight) + bias


# %% correct: one position after the other

def standardised(vector: Tensor, eps: float) -> Tensor:
    variance, mean = torch.var_mean(vector, dim=0, correction=0)
    return (vector - mean) * torch.rsqrt(variance + eps)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    places = x.reshape(-1, x.shape[-1])
    out = places
    if len(places):
        out = torch.stack([standardised(place, eps) for place in places.unbind(0)])
    return torch.addcmul(bias, out.reshape(x.shape), weight)
