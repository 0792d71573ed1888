# %% wrong: the largest of all scores taken away
# scores.max() is the maximum of the whole tensor. A row that lies some hundreds below another's (0 and -1000) underflows
# as a whole, and is 0/0.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: the shift is made in place
# scores -= ... changes the caller's tensor (and raises on a leaf that requires a gradient); scores was to be left.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    scores -= scores.max(dim, keepdim=True).values
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)

# %% wrong: the largest absolute score taken away
# No overflow any more, but for scores far below zero (-203, -202, -201) it shifts them further down: all exponentials
# are 0, and 0/0 is NaN. A score of minus infinity gives an absolute value of infinity, and NaN as well.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    largest = scores.abs().amax(dim=dim, keepdim=True)
    exponentials = torch.exp(scores - largest)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)

# %% wrong: the axis put back at the end
# In place of keepdim the axis comes back with unsqueeze(-1), which is right for the last axis alone: with dim = 0 of (3, 4) it raises,
# and with a square of sizes it shifts and divides by another axis's numbers.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    top = scores.max(dim).values.unsqueeze(-1)
    exponentials = torch.exp(scores - top)
    total = exponentials.sum(dim).unsqueeze(-1)
    return exponentials / total

# %% correct: slice by slice along the axis

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    slices = scores.unbind(dim)
    top = slices[0]
    for one in slices[1:]:
        top = torch.maximum(top, one)
    exponentials = [torch.exp(one - top) for one in slices]
    total = exponentials[0]
    for one in exponentials[1:]:
        total = total + one
    return torch.stack([one / total for one in exponentials], dim)

# %% correct: the axis to the front, the top one by sorting, the sum by einsum

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    rows = scores.movedim(dim, 0)
    top = rows.sort(dim=0).values[-1]
    exponentials = (rows - top).exp()
    shares = exponentials / torch.einsum("s...->...", exponentials)
    return shares.movedim(0, dim)
