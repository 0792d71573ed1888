# %% wrong: masked after the softmax, and shared out again
# A forbidden score takes part in the softmax: where one is 1,000 above the allowed ones nothing is left to be shared out
# again, and all weights come out as zero; where it is NaN or infinite, all are NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights.masked_fill(~mask, 0.0)
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)

# %% wrong: the largest score of the whole tensor is subtracted
# A row far below another one has only exponentials of 0, and 0 / 0: scores [[0, 0], [-1000, -1000]] with everything
# allowed gives zeros (after the guard) in the second row instead of a half each.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    allowed = scores.masked_fill(~mask, float("-inf"))
    largest = allowed.max().detach()
    if largest == float("-inf"):
        largest = torch.zeros_like(largest)
    exponentials = torch.exp(allowed - largest)
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total == 0, torch.ones_like(total), total)

# %% wrong: looks whether the mask allows anything at all, not row by row
# Right where no row is empty, and where all are. In a batch in which one row allows nothing and another one something, the
# empty row gets the weight 1/S everywhere.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if not mask.any():
        return scores.masked_fill(~mask, 0.0)
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)

# %% wrong: torch.where after the exponential
# The weights are right. On the way back the zero that torch.where gives a forbidden score is multiplied by its exponential:
# where that is infinite or NaN (a forbidden score of 1e4, inf or NaN), the gradient of that score is NaN.

def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    with torch.no_grad():
        largest = scores.masked_fill(~mask, -1e9).amax(dim=-1, keepdim=True)
    exponentials = torch.where(mask, torch.exp(scores - largest), torch.zeros_like(scores))
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, torch.ones_like(total))

# %% correct: every score against every other one
# The weight of i is one over the sum of exp(score_j - score_i), through logsumexp: no largest score, no division.
def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand(scores.shape)
    clean = scores.masked_fill(~mask, 0.0)
    counted = mask | ~mask.any(dim=-1, keepdim=True)  # an empty row counts all for now
    apart = clean.unsqueeze(-2) - clean.unsqueeze(-1)  # (..., i, j)
    apart = apart.masked_fill(~counted.unsqueeze(-2), float("-inf"))
    return (-apart.logsumexp(dim=-1)).masked_fill(~mask, float("-inf")).exp()

# %% correct: row by row, over the allowed scores alone
def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    length = scores.shape[-1]
    rows = scores.reshape(-1, length)
    allowed = mask.expand(scores.shape).reshape(-1, length)
    # zeros that still hang on the scores, with a gradient of zero
    weights = rows.masked_fill(torch.ones_like(allowed), 0.0)
    for number in range(len(rows)):
        places = allowed[number].nonzero().squeeze(1)
        if len(places):
            weights[number, places] = rows[number, places].log_softmax(dim=0).exp()
    return weights.reshape(scores.shape)
