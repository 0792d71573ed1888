# %% wrong: one largest score for the whole tensor
# The shift is the maximum of everything, not of each line along dim: a row far below it underflows to 0/0.
# Shows for [[0, 1], [500, 501]] along dim 1: the first row is NaN.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: subtracts in the caller's tensor
# -= shifts the scores themselves: the caller's tensor is changed (and a leaf that requires gradients refuses).
# Shows for every scores whose maximum is not 0.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.amax(dim, keepdim=True)
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: cuts the scores to what exp can take
# Scores beyond 80 are all made 80, so different large scores get equal weights.
# Shows for [101, 102, 103]: a third each.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = scores.clamp(-80.0, 80.0).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: minus infinity becomes -10,000
# To avoid inf - inf, minus infinity is replaced by a "very small" number that allowed scores go below.
# Shows for [-50000, -inf]: the forbidden one gets all the weight.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = scores.masked_fill(scores == -math.inf, -1e4)
    shifted = scores - scores.max(dim, keepdim=True).values
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% correct: slice by slice along the axis

# A running maximum over the slices, then their exponentials, their sum, and the stack.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    top = slices[0].detach()
    for piece in slices[1:]:
        top = torch.maximum(top, piece.detach())
    exponentials = [torch.exp(piece - top) for piece in slices]
    total = exponentials[0]
    for piece in exponentials[1:]:
        total = total + piece
    return torch.stack([piece / total for piece in exponentials], dim)

# %% correct: base two, the sums by a product with ones

# The axis goes to the end, the largest score is found by sorting, and e to the x is 2 to the x / ln 2.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    rows = scores.movedim(dim, -1)
    largest = rows.detach().sort(dim=-1, descending=True).values[..., :1]
    powers = torch.exp2((rows - largest) * (1 / math.log(2)))
    ones = torch.ones(rows.shape[-1], rows.shape[-1], dtype=rows.dtype, device=rows.device)
    return (powers / (powers @ ones)).movedim(-1, dim)
