# %% wrong: the largest score of all is subtracted
# One shift for the whole tensor: a row that lies far below another underflows to 0/0. [[0., 1.], [-1000., -1001.]] with
# dim=1 gives nan in the second row.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: the sum loses its axis
# Without keepdim the sums are lined up with the last axis: a square matrix with dim=1 is divided by the wrong rows' sums,
# and a (2, 3) with dim=1 raises. Right for one axis and for dim=0 of a matrix.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    largest = scores.amax(dim=dim, keepdim=True)
    exponentials = torch.exp(scores - largest)
    return exponentials / exponentials.sum(dim=dim)

# %% wrong: the logarithm of the sum added to the largest score
# Near 100,000 float32 has steps of 0.008, so log 3 is rounded away: [1e5, 1e5, 1e5] gets weights of 0.3324 that sum to
# 0.997, not to one.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    largest = scores.amax(dim, keepdim=True)
    log_total = largest + (scores - largest).exp().sum(dim, keepdim=True).log()
    return (scores - log_total).exp()

# %% wrong: minus infinity replaced by the lowest score there can be
# -100,000 is a score that may really occur: [-100000., -inf] gets (0.5, 0.5), and minus infinity must get 0.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    finite = scores.clamp(min=-100_000.0)  # no -inf - -inf below
    shifted = (finite - finite.amax(dim, keepdim=True)).exp()
    return shifted / shifted.sum(dim, keepdim=True)

# %% correct: in one pass, with a running largest score

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    slices = scores.unbind(dim)
    top = torch.full_like(slices[0], lowest, requires_grad=False)
    total = torch.zeros_like(slices[0])
    for one in slices:
        new_top = torch.maximum(top, one.detach())
        total = total * (top - new_top).exp() + (one - new_top).exp()
        top = new_top
    return torch.stack([(one - top).exp() / total for one in slices], dim=dim)

# %% correct: exponentials scaled to a 1-norm of one

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    by_size = scores.detach().sort(dim=dim, descending=True).values
    return F.normalize((scores - by_size.narrow(dim, 0, 1)).exp(), p=1.0, dim=dim)
