# %% wrong: the variance of a sample
# Tensor.var divides by D - 1: too small an output by the root of (D - 1) / D, and nan for D = 1.


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: only the mean is mended
# The variance is still one number for the whole sequence: the future leaks in through it, for any T above 1.


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps beside the root
# sqrt(variance) + eps is not sqrt(variance + eps): shows where the variance is small or eps is large, and the gradient
# at a token whose numbers are all the same is nan.


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    deviation = (x - mean).square().mean(dim=-1, keepdim=True).sqrt()
    return (x - mean) / (deviation + eps) * weight + bias


# %% wrong: mean of the squares less square of the mean
# True on paper, rounding in float32 where the mean is large beside the spread: x = 1000 + noise is off by some percent,
# and x = 10000 + noise gives nan where the difference falls below -eps.


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: one feature after the other, with a running mean (Welford)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = torch.zeros_like(x[..., 0])
    squares = torch.zeros_like(mean)
    for count, feature in enumerate(x.unbind(dim=-1), start=1):
        distance = feature - mean
        mean = mean + distance / count
        squares = squares + distance * (feature - mean)
    scale = torch.rsqrt(squares / x.shape[-1] + eps)
    columns = [
        (feature - mean) * scale * weight[d] + bias[d]
        for d, feature in enumerate(x.unbind(dim=-1))
    ]
    return torch.stack(columns, dim=-1)


# %% correct: features first, lengths from a dot product


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    size = x.shape[-1]
    features = x.movedim(-1, 0)  # (D, B, T)
    features = features - features.mean(dim=0)
    features = features - features.mean(dim=0)  # once more: what the first rounding left
    length = torch.einsum("dbt,dbt->bt", features, features)
    normed = features * (size / (length + size * eps)) ** 0.5
    return torch.addcmul(bias, normed.movedim(0, -1), weight)
