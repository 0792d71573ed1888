# %% wrong: largest score of the whole tensor
# Shifts by one number for everything: a row that lies a few hundred below another's largest score underflows to 0 / 0.
# Shows for [[0., 1.], [1000., 1001.]] along dim=1.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim, keepdim=True)


# %% wrong: shifted in place
# -= writes into the argument: after the call scores holds the shifted numbers. Shows for any scores whose largest is not 0.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.max(dim, keepdim=True).values
    e = scores.exp()
    return e / e.sum(dim, keepdim=True)


# %% wrong: scores clipped
# Large and small scores are cut off so that exp stays finite, which makes different scores equal:
# [101., 102., 103.] gives thirds.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    e = scores.clamp(min=-80, max=80).exp()
    return e / e.sum(dim=dim, keepdim=True)


# %% wrong: maximum of the last axis
# The shift is taken along -1 and the sum along dim: entries that are compared are shifted by different numbers.
# Shows for dim=0 on a matrix.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores - scores.amax(-1, keepdim=True)
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)


# %% correct: one pass with a running maximum

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return torch.ones_like(scores)
    if scores.numel() == 0:
        return scores.clone()
    slices = scores.unbind(dim)
    floor = torch.finfo(scores.dtype).min  # so that minus infinity minus the maximum stays minus infinity
    top = slices[0].detach().clamp(min=floor)
    total = torch.zeros_like(top)
    for piece in slices:
        higher = torch.maximum(top, piece.detach())
        total = total * torch.exp(top - higher) + torch.exp(piece - higher)
        top = higher
    return torch.stack([torch.exp(piece - top) / total for piece in slices], dim=dim)


# %% correct: sorted first

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return torch.ones_like(scores)
    last = scores.movedim(dim, -1)
    values, places = last.sort(dim=-1)
    powers = (values - values[..., -1:]).exp()  # the largest is at the end
    shares = powers / powers.cumsum(-1)[..., -1:]
    return torch.empty_like(shares).scatter(-1, places, shares).movedim(-1, dim)
