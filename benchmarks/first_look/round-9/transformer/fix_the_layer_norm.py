# %% wrong: only the mean is mended
# The variance is still that of all tokens of a sequence, so the leak is smaller and still there.
# Shows for T above 1 where the tokens differ in their variance.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: torch's variance, divided by D - 1
# x.var divides by D - 1 where the docstring divides by D.
# Shows for every small D; D = 1 gives nan.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = x.var(dim=2, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps beside the root
# Adds eps to the standard deviation and not to the variance.
# Shows for a large eps, or a token whose numbers are nearly alike.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (torch.sqrt(variance) + eps) * weight + bias


# %% wrong: the mean of the squares less the square of the mean
# In float32 the two large numbers cancel, and the variance is noise, or below zero and the output nan.
# Shows for tokens whose mean is large beside their spread, such as 1000 + torch.randn(2, 5, 8).

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: from the differences of a token's own numbers

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    centred = (x.unsqueeze(-1) - x.unsqueeze(-2)).mean(dim=-1)
    variance = torch.einsum("btd,btd->bt", centred, centred) / x.shape[-1]
    return torch.addcmul(bias, centred * torch.rsqrt(variance + eps).unsqueeze(-1), weight)


# %% correct: one pass over the features

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean, squares = torch.zeros_like(x[..., 0]), torch.zeros_like(x[..., 0])
    for seen, feature in enumerate(x.unbind(dim=-1), start=1):  # Welford's way
        before = feature - mean
        mean = mean + before / seen
        squares = squares + before * (feature - mean)
    scale = (squares / x.shape[-1] + eps) ** -0.5
    columns = [
        (feature - mean) * scale * w + b
        for feature, w, b in zip(x.unbind(dim=-1), weight.unbind(), bias.unbind(), strict=True)
    ]
    return torch.stack(columns, dim=-1)
