# %% wrong: only the mean is mended
# The variance is still one number for the whole sequence, and leaks on.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: by std, with eps behind the root
# Two mistakes of a well-known implementation: std divides by D - 1, and eps is added to the root and not under it.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return weight * (x - mean) / (std + eps) + bias


# %% wrong: eps is always the usual one
# The argument eps is not used.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).pow(2).mean(dim=2, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + 1e-5) * weight + bias


# %% wrong: centred in place
# The output is right, but the caller's x has been centred; in a layer it is the stream that loses its mean.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    x.sub_(x.mean(dim=-1, keepdim=True))
    variance = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(variance + eps) * weight + bias


# %% wrong: over the tokens, feature by feature
# The wrong one of the two axes was taken away: each feature is normed over the sequence, which still leaks.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    variance = (x - mean).square().mean(dim=1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: a centring matrix

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    width = x.shape[-1]
    centring = torch.eye(width, dtype=x.dtype, device=x.device) - 1 / width
    centred = x @ centring
    lengths = torch.linalg.vector_norm(centred, dim=-1, keepdim=True)
    return torch.addcmul(bias, centred / (lengths**2 / width + eps).sqrt(), weight)


# %% correct: rows of a table

def normed_row(row: Tensor, eps: float) -> Tensor:
    apart = row - row.sum() / row.numel()
    return apart / (torch.dot(apart, apart) / row.numel() + eps) ** 0.5


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    rows = x.reshape(-1, x.shape[-1])
    normed = torch.stack([normed_row(row, eps) for row in rows])
    return (normed * weight + bias).reshape(x.shape)
