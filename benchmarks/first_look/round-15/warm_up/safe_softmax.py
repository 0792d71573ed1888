# %% wrong: one maximum for the whole tensor
# The shift fits only the row that holds the largest score. A row that lies more than about 100 below it underflows to 0/0:
# scores [[0, 1], [-500, -501]] with dim=1 give NaN in the second row.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# %% wrong: the shift is made in place
# `-=` changes the caller's scores (and raises where they are a leaf that requires a gradient).

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.amax(dim=dim, keepdim=True)
    shares = scores.exp()
    return shares / shares.sum(dim=dim, keepdim=True)


# %% wrong: the largest size is subtracted
# The largest absolute value is not the largest score: for [-300, 0] all exponentials underflow and 0/0 is NaN. With minus
# infinity among the scores it is infinite.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shift = scores.abs().amax(dim=dim, keepdim=True)
    shifted = (scores - shift).exp()
    return shifted / shifted.sum(dim=dim, keepdim=True)


# %% wrong: minus infinity is replaced by the lowest score allowed
# A score of -100,000 is allowed, too: where all others of the row are minus infinity, [-inf, -100000] gives a half each
# instead of 0 and 1.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    finite = scores.clamp(min=-100_000)
    finite = finite - finite.amax(dim=dim, keepdim=True)
    powers = finite.exp()
    return powers / powers.sum(dim=dim, keepdim=True)


# %% correct: powers of two under the top of a sort

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    ordered = scores.detach().sort(dim=dim, descending=True).values
    largest = ordered.narrow(dim, 0, 1)
    powers = torch.exp2((scores - largest) * math.log2(math.e))
    return powers.div(powers.sum(dim=dim, keepdim=True))


# %% correct: one row after another

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    last = scores.movedim(dim, -1)
    shared = []
    for row in last.reshape(-1, last.shape[-1]).unbind(0):
        best = row[row.argmax()]
        exponentials = [torch.exp(score - best) for score in row.unbind(0)]
        whole = sum(exponentials)
        shared.append(torch.stack([e / whole for e in exponentials]))
    return torch.stack(shared).reshape(last.shape).movedim(-1, dim)
