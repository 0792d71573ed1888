# %% wrong: nothing subtracted
# exp(10000) is infinity, and infinity divided by infinity is NaN; far below zero every exponential is 0, and 0/0 is NaN
# too. Subtract the same number from every score of a row first. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores

# %% wrong: large scores clamped
# Clamping makes all large scores equal, so the weights no longer tell them apart, and the gradient is gone. Shift the
# scores instead of cutting them. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores.clamp(-80, 80)

# %% wrong: NaN painted over
# Putting zeros where NaN came out leaves rows that sum to 0. The overflow has to be kept from happening: shift the
# scores before the exponential. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores
# --- before
    return exponentials / exponentials.sum(dim, keepdim=True)
# --- after
    return (exponentials / exponentials.sum(dim, keepdim=True)).nan_to_num(0.0)

# %% wrong: NaN mended afterwards
# Infinity over infinity is NaN, whatever the scores were, so ones in its place give weights that no longer depend on
# them. Shift the scores before the exponential. See section 0.4.

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    weights = (scores.exp() / scores.exp().sum(dim, keepdim=True)).nan_to_num(1.0)
    return weights / weights.sum(dim, keepdim=True)

# %% wrong: one maximum for the whole tensor
# A row far below the largest score of all still gets only zeros, and 0/0 is NaN. Every row needs the maximum of its
# own. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores - scores.max()

# %% wrong: always the last axis
# The weights sum to 1 along the last axis, whichever was asked for. Use the argument `dim`, in the maximum and in the
# sum. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores - scores.amax(-1, keepdim=True)
# --- before
    return exponentials / exponentials.sum(dim, keepdim=True)
# --- after
    return exponentials / exponentials.sum(-1, keepdim=True)

# %% wrong: shared out over the whole tensor
# All weights together sum to 1. The sum in the denominator must run along `dim` alone. See section 0.4.

# --- before
    return exponentials / exponentials.sum(dim, keepdim=True)
# --- after
    return exponentials / exponentials.sum()

# %% wrong: the summed axis not kept
# Without its axis the maximum lines up with another axis of the scores, or with none. Keep the axis, with size 1. See
# section 0.2.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores - scores.amax(dim)
# --- before
    return exponentials / exponentials.sum(dim, keepdim=True)
# --- after
    return exponentials / exponentials.sum(dim)

# %% wrong: max along an axis gives two things
# Along an axis, max returns the largest values and their places, and the two together cannot be subtracted from the
# scores. Take the values, or use amax. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores - scores.max(dim, keepdim=True)

# %% wrong: the logarithm of the sum added to the largest score
# Beside a score of 100,000 float32 rounds the logarithm of the sum to steps of 0.008, so the weights do not sum to 1.
# Subtract the largest score first, and work with the differences alone. See section 0.4.

def safe_softmax(scores, dim):
    return (scores - torch.logsumexp(scores, dim, keepdim=True)).exp()

# %% wrong: minus infinity replaced by the lowest score there can be
# A real score can be as low as the number in its place, and then both get the same weight. The exponential of minus
# infinity is zero already, once the largest score is subtracted: nothing has to be put in its place. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores.clamp(min=-1e5) - scores.amax(dim, keepdim=True)

# %% wrong: the mean subtracted
# The mean is not the largest score, so a score can still stand far enough above it to overflow, and with one score of
# minus infinity the mean is infinite as well. Subtract the maximum. See section 0.4.

# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores - scores.mean(dim, keepdim=True)

# %% wrong: the scores shared out without exp
# The scores themselves were divided by their sum, so weights can be negative. Softmax takes the exponential first. See
# section 0.4.

# --- before
    exponentials = shifted.exp()
# --- after
    exponentials = scores

# %% correct: max instead of amax, detached
# --- before
    shifted = scores - scores.amax(dim, keepdim=True)
# --- after
    shifted = scores - scores.detach().max(dim, keepdim=True).values

# %% correct: the axis moved to the end and back
def safe_softmax(scores, dim):
    moved = scores.movedim(dim, -1)
    e = torch.exp(moved - moved.max(-1)[0][..., None])
    return (e / e.sum(-1)[..., None]).movedim(-1, dim)

# %% correct: in double precision inside
def safe_softmax(scores, dim):
    x = scores.double()
    x = x - x.amax(dim, keepdim=True)
    return (torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)).to(scores.dtype)

# %% correct: row by row
def safe_softmax(scores, dim):
    rows = scores.movedim(dim, -1)
    out = []
    for row in rows.reshape(-1, rows.shape[-1]):
        e = (row - max(row)).exp()
        out.append(e / sum(e))
    return torch.stack(out).reshape(rows.shape).movedim(-1, dim)

# %% correct: exponentials of a product, and one division for all
def safe_softmax(scores, dim):
    rows = scores.movedim(dim, 0)
    powers = torch.exp2((rows - rows.max(0).values) * 1.4426950408889634)
    return powers.div(powers.sum(0)).movedim(0, dim)
