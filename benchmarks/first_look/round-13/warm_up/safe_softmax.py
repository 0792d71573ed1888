# %% wrong: the sum loses its axis
# Without keepdim the sums are aligned with the wrong axis: (3, 3) scores with dim=-1 give rows that do not
# sum to one, and (2, 3) scores an error.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = (scores - scores.amax(dim, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim)


# %% wrong: one largest score for the whole tensor
# Rows far below the overall maximum underflow to 0/0: scores [[0, 1], [1000, 1001]] with dim=1 give nan.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% wrong: shifted in place
# The caller's scores are changed: after the call their largest is 0. (A leaf that requires gradients raises.)

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.max(dim, keepdim=True).values
    weights = scores.exp()
    return weights / weights.sum(dim, keepdim=True)


# %% wrong: minus infinity replaced by a number that is not low enough
# With [-50000, -inf] the masked score -10000 becomes the largest and gets all of the weight, not zero.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = torch.where(torch.isinf(scores), torch.full_like(scores, -1e4), scores)
    highest = scores.amax(dim, keepdim=True)
    weights = torch.exp(scores - highest)
    return weights / weights.sum(dim, keepdim=True)


# %% correct: slice by slice along the axis

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    highest = slices[0]
    for piece in slices[1:]:
        highest = torch.where(piece > highest, piece, highest)
    powers = [torch.exp(piece - highest) for piece in slices]
    total = powers[0]
    for power in powers[1:]:
        total = total + power
    return torch.stack([power / total for power in powers], dim=dim)


# %% correct: rows of a matrix, and a product with ones

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    moved = scores.movedim(dim, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    highest, _ = rows.detach().topk(1, dim=1)
    powers = (rows - highest).exp()
    totals = powers @ powers.new_ones(powers.shape[1], 1)
    return (powers * totals.reciprocal()).reshape(moved.shape).movedim(-1, dim)
