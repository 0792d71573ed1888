# %% wrong: float64 in place of a shift
# Double precision makes the examples of the notebook come out, but exp overflows there as well, from about 710 on.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = scores.double().exp()
    return (exponentials / exponentials.sum(dim, keepdim=True)).to(scores.dtype)


# %% wrong: shifted by the mean
# The mean does not bound the largest score: widely spread scores still overflow, and one minus infinity makes the mean minus infinity.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    centred = scores - scores.mean(dim, keepdim=True)
    exponentials = centred.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)


# %% wrong: movedim taken for a copy
# movedim returns a view, so the subtraction in place changes the caller's scores.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    work = scores.movedim(dim, -1)
    work -= work.amax(dim=-1, keepdim=True)
    weights = work.exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights.movedim(-1, dim)


# %% wrong: the sum loses its axis
# The maximum keeps its axis, the sum does not: right for dim=0 as in the examples, for another axis a wrong broadcast or an error.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    highest, _ = scores.max(dim, keepdim=True)
    exponentials = torch.exp(scores - highest)
    return exponentials / torch.sum(exponentials, dim)


# %% wrong: the shifted scores have a floor
# A floor of minus ten against underflow gives every far score, minus infinity too, the weight of a score ten below the best.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores - scores.amax(dim, keepdim=True)
    shifted = shifted.clamp(min=-10.0)  # exp of less is as good as zero and would underflow
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)


# %% correct: slice by slice along the axis

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.dim() == 0:
        return safe_softmax(scores.reshape(1), 0).reshape(())
    if scores.numel() == 0:
        return scores.clone()
    slices = scores.unbind(dim)
    highest = slices[0]
    for other in slices[1:]:
        highest = torch.where(other > highest, other, highest)
    powers = [torch.exp(one - highest) for one in slices]
    total = torch.zeros_like(powers[0])
    for power in powers:
        total = total + power
    return torch.stack([power / total for power in powers], dim=dim)


# %% correct: the top one by sorting, on a flat table

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    if scores.numel() == 0:
        return scores.clone()

    def share(table: Tensor) -> Tensor:
        top = table.sort(dim=1, descending=True).values[:, :1]
        powers = torch.exp(table - top)
        return powers * powers.sum(dim=1, keepdim=True).reciprocal()

    if scores.dim() == 0:
        return share(scores.reshape(1, 1)).reshape(())
    moved = scores.transpose(dim, -1)
    flat = moved.reshape(-1, moved.shape[-1])
    return share(flat).reshape(moved.shape).transpose(dim, -1)
