# %% wrong: only the mean is mended
# The mean is each position's own, the variance still runs over all positions.
# Breaks "mean and variance are those of each position's own D numbers": the future leaks in through the variance. Hint: how many numbers leaked?

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=(1, 2), keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: the variance divided by D - 1
# Tensor.var divides by D - 1 unless it is told otherwise.
# Breaks "(divided by D)"; the smaller D, the more it shows. Hint: compare with F.layer_norm for D = 2.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% wrong: eps outside the root
# eps is added to the standard deviation, not to the variance under the root.
# Hardly shows for a variance of one, clearly for small ones (or a large eps). Hint: what comes out of sqrt(eps) and eps for x nearly constant?

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / (torch.sqrt(variance) + eps) * weight + bias


# %% wrong: the statistics without their gradient
# Mean and variance are computed under no_grad, as if they were constants.
# Right forwards; the gradient to x is not F.layer_norm's, for mean and variance depend on x. Hint: the gradient of the sum of the outputs should be zero.

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    with torch.no_grad():
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# %% correct: var_mean and rsqrt

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, torch.rsqrt(variance + eps) * (x - mean), weight)


# %% correct: position by position, with dot products

def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    size = x.shape[2]

    def of_one(numbers: Tensor) -> Tensor:
        centred = numbers - numbers.sum() / size
        return centred * (centred.dot(centred) / size + eps) ** -0.5

    rows = [torch.stack([of_one(position) for position in sequence.unbind(0)]) for sequence in x.unbind(0)]
    return torch.einsum("btd,d->btd", torch.stack(rows), weight) + bias
