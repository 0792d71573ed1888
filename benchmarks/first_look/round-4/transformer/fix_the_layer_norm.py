# %% wrong: the positions averaged instead of the features
# The statistics run over dim 1: each feature is brought to mean 0 over the sentence. The leak is still there, and a single
# token becomes zero.
# Hint: which axis of (B, T, D) holds one position's own numbers?

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=1, keepdim=True)
    variance = (x - mean).square().mean(dim=1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: the variance divided by one less
# torch.var divides by D - 1 unless told otherwise. The leak is gone, and all numbers are a little too small.
# Hint: by what is the variance divided, by the docstring? Which argument of var says so?

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps behind the root
# eps is added to the standard deviation instead of to the variance. For tokens of usual size it makes next to no
# difference, and for those whose numbers are nearly equal a large one.
# Hint: try a token whose numbers differ by a thousandth only.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    deviation = x.std(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / (deviation + eps) * weight + bias


# %% wrong: the mean mended and the variance not
# Each position has its own mean now, but the variance is still one for the whole sentence, and through it the future comes
# in.
# Hint: the sentence leaked in through two numbers. Run the symptom's cell with your version.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=2, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: mean and variance in one call

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return bias + weight * ((x - mean) * torch.rsqrt(variance + eps))


# %% correct: the features brought to the front

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    features = x.movedim(-1, 0)  # (D, B, T)
    centred = features - features.sum(dim=0) / len(features)
    variance = torch.einsum("dbt,dbt->bt", centred, centred) / len(features)
    normed = centred / (variance + eps) ** 0.5
    return normed.movedim(0, -1) * weight + bias
