# %% wrong: mean and variance as constants
# Both are taken under no_grad, so the outputs are right and the gradient at x is not: nothing flows through the
# statistics. Shows for every x that requires a gradient.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:

    with torch.no_grad():
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: computed and returned in float32
# float64 does not stay float64. Shows by the dtype of the result for double x, weight and bias.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:

    x = x.float()
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight.float() + bias.float()


# %% wrong: eps as a floor
# The variance is clamped to eps from below, where eps is to be added. Shows where the variance is not far above eps:
# a small x (randn times 0.01), or eps=0.1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:

    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
    return (x - mean) / variance.clamp(min=eps).sqrt() * weight + bias


# %% wrong: the mean subtracted in place
# x -= ... writes into the caller's tensor, in the layer above that is the stream itself. Shows by comparing x before and
# after; an x that is a leaf and requires a gradient raises an error.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:

    x -= x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(variance + eps) * weight + bias


# %% correct: sums over the features by a Python loop

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:

    features = x.unbind(dim=2)
    mean = sum(features) / len(features)  # (B, T)
    apart = [feature - mean for feature in features]
    variance = sum(one * one for one in apart) / len(apart)
    size = (variance + eps) ** 0.5
    normed = [one / size * w + b for one, w, b in zip(apart, weight, bias, strict=True)]
    return torch.stack(normed, dim=2)


# %% correct: tokens as columns, var_mean and addcmul

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:

    B, T, D = x.shape
    columns = x.reshape(B * T, D).T  # a token is a column now
    variance, mean = torch.var_mean(columns, dim=0, correction=0)
    normed = (columns - mean).mul(torch.rsqrt(variance + eps))
    return torch.addcmul(bias, normed.T, weight).reshape(B, T, D)
