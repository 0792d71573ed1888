# %% wrong: one maximum for the whole tensor
# It subtracts the largest score of all; a row that lies far below it has only zeros after exp, and becomes 0/0.
# Hint: try two rows, one around 0 and one around -1000; which number should each of them be shifted by?

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exps = torch.exp(scores - scores.max())
    return exps / exps.sum(dim=dim, keepdim=True)


# %% wrong: scores clipped to a range that exp can hold
# It is finite, but 101 and 103 both become 80, so large scores lose their differences and share alike. Very low rows
# do the same, and minus infinity beside them gets a share.
# Hint: compare safe_softmax of [101, 102, 103] with that of [1, 2, 3]; question 0.q2 says how they should relate.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores = scores.clamp(-80.0, 80.0)
    exps = scores.exp()
    return exps / exps.sum(dim, keepdim=True)


# %% wrong: the caller's scores are shifted in place
# `-=` writes into the tensor that was handed in: the weights are right, and the caller's scores have changed.
# Hint: print the scores before and after the call, and look for the operator that makes no new tensor.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.amax(dim=dim, keepdim=True)
    weights = scores.exp()
    return weights / weights.sum(dim=dim, keepdim=True)


# %% wrong: the sum forgets to keep its axis
# The maximum keeps its axis and the sum does not: right for one axis and for dim=0, an error or, on square tensors,
# a silent division by the wrong sums otherwise.
# Hint: write down the shapes on both sides of the division for scores (2, 3) and dim=1.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores - scores.max(dim=dim, keepdim=True).values
    exps = torch.exp(shifted)
    return exps / exps.sum(dim=dim)


# %% wrong: shifted by the mean
# Subtracting the mean leaves exact softmax as it is, but one score far above the others still overflows, and one of
# minus infinity drags the mean to minus infinity and makes every weight NaN.
# Hint: which shift makes sure that no exponent is above zero, and one of them exactly zero?

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    centred = scores - scores.mean(dim=dim, keepdim=True)
    exps = centred.exp()
    return exps / exps.sum(dim=dim, keepdim=True)


# %% correct: by way of the logarithm of the sum

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    below_the_top = scores - scores.amax(dim, keepdim=True)  # at most 0
    log_of_sum = below_the_top.exp().sum(dim, keepdim=True).log()
    return torch.exp(below_the_top - log_of_sum)


# %% correct: the axis moved to the end and back

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    rows = scores.movedim(dim, -1)
    top, _ = rows.max(dim=-1, keepdim=True)
    powers = rows.sub(top).exp()
    total = powers.sum(dim=-1, keepdim=True)
    return (powers / total).movedim(-1, dim)
