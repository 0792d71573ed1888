# %% wrong: only the mean is mended
# The mean is each position's own, the variance is still that of the whole sentence: what stands at position 5 changes the scale of position 0. Right for T = 1.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: made causal
# Mean and variance run over all numbers up to the position, so nothing leaks from later ones. But they are not those of the position's own D numbers: from
# position 1 on the output differs from F.layer_norm.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    length, width = x.shape[1], x.shape[2]
    count = width * torch.arange(1, length + 1, device=x.device, dtype=x.dtype).view(1, -1, 1)
    mean = x.sum(dim=2, keepdim=True).cumsum(dim=1) / count
    rows = []
    for t in range(length):
        rows.append((x[:, : t + 1] - mean[:, t : t + 1]).square().mean(dim=(1, 2)))
    variance = torch.stack(rows, dim=1).unsqueeze(2)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% wrong: eps as a floor
# The variance is kept from falling below eps in place of adding eps to it. For numbers of order one nothing is seen; with a small variance or a large eps, as 0.1, the
# output is too large.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=2, keepdim=True)
    return (x - mean) / torch.sqrt(variance.clamp_min(eps)) * weight + bias

# %% wrong: mean of the squares minus square of the mean
# Right on paper. In float32, for numbers around 10,000, the two terms agree in all their digits: the difference is noise, even negative, and its root
# NaN.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias

# %% correct: position by position

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    width = x.shape[-1]
    normed = []
    for vectors in x.unbind(dim=1):  # (B, D)
        centred = vectors - vectors.sum(dim=1, keepdim=True).div(width)
        squares = torch.einsum("bd,bd->b", centred, centred) / width
        normed.append(torch.addcmul(bias, centred * (squares + eps).rsqrt().unsqueeze(1), weight))
    return torch.stack(normed, dim=1)

# %% correct: the features on the first axis

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    features = x.movedim(2, 0)  # (D, B, T)
    variance, mean = torch.var_mean(features, dim=0, correction=0)
    scaled = (features - mean) * torch.pow(variance + eps, -0.5)
    return (scaled.movedim(0, 2) * weight).add(bias)
