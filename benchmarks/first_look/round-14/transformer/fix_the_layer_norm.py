# %% wrong: the mean is mended, the variance is not
# The variance still runs over all positions of a sequence: what stands at position 5 scales the output at position 0. With T = 1 nothing shows.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: mean of the squares minus square of the mean
# The axis is right. But for numbers far from zero two large numbers are subtracted in float32: at 1000 plus noise the variance is off, at 10,000 it may be
# negative, and the root NaN.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps outside the root
# Divided by std + eps instead of the root of variance + eps. Nothing to see at a variance of one; for small numbers, or a larger eps, the result is
# another one.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    deviation = x.std(dim=2, keepdim=True, correction=0)
    return (x - mean) / (deviation + eps) * weight + bias


# %% wrong: over the positions of each feature
# dim=1 is the sequence: every feature is normed over the T positions. The future still comes in, and one position alone gives the bias.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    variance = (x - mean).square().mean(dim=1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: position by position

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    positions = []
    for vector in x.flatten(0, 1):
        away = vector - vector.sum() / len(vector)
        scale = torch.rsqrt(torch.dot(away, away) / len(vector) + eps)
        positions.append(torch.addcmul(bias, away * scale, weight))
    return torch.stack(positions).view(x.shape)


# %% correct: the features in front

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    features = x.movedim(2, 0)  # (D, B, T)
    away = features - features.mean(dim=0)
    size = torch.einsum("dbt,dbt->bt", away, away).div(len(features)).add(eps).sqrt()
    return torch.einsum("dbt,d->btd", away / size, weight) + bias
