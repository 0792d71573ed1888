# %% wrong: divided by D - 1
# x.var corrects for a sample unless told not to. Shows for every D: by 7 % at D = 8, and NaN at D = 1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: only the mean is mended
# The variance still runs over all the tokens of a sentence, so the leak is smaller and still there. Agrees for T = 1; shows
# wherever a sentence's tokens have different variances.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: the mean of the squares, less the squared mean
# The same on paper. Where the mean is large beside the deviations (x around 10,000 in float32) the difference is rounding:
# far-off numbers, or NaN from the root of a negative one. "Subtract the mean before you square."

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
    return (x - mean) * torch.rsqrt(variance + eps) * weight + bias

# %% wrong: normed in the caller's tensor
# x -= mean and x /= ... save memory and write into the argument: the residual stream that is to be added later has been
# normed too. Shows for every x that is not normed already.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x -= x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(variance + eps) * weight + bias

# %% correct: a norm and a hypotenuse

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    root_mean_square = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / math.sqrt(x.shape[-1])
    length = torch.hypot(root_mean_square, torch.full_like(root_mean_square, math.sqrt(eps)))
    return torch.addcmul(bias, centred / length, weight)

# %% correct: feature by feature

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    features = x.unbind(dim=2)  # D tensors (B, T)
    D = len(features)
    start = features[0]
    mean = start + sum(feature - start for feature in features) / D
    centred = [feature - mean for feature in features]
    scale = (sum(c * c for c in centred) / D + eps).rsqrt()
    return torch.stack([c * scale * w + b for c, w, b in zip(centred, weight, bias, strict=True)], dim=2)
