# %% wrong: the first word counts nowhere
# Tokens with a counterpart are taken to be those above 0, but position 0 is a position like any other.
# Shows wherever some token renders source position 0.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    has_one = alignment > 0
    if not has_one.any():
        raise ValueError("no token has a counterpart")
    right = weights.argmax(dim=2) == alignment
    return right[has_one].float().mean().item()

# %% wrong: a mean of the sentences' shares
# The share is formed for each sentence and then averaged: words of short sentences count more.
# Shows where two sentences have different numbers of counterparts and different shares.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    has_one = alignment >= 0
    if not has_one.any():
        raise ValueError("no token has a counterpart")
    right = (weights.argmax(dim=-1) == alignment) & has_one
    counts = has_one.sum(dim=1)
    shares = right.sum(dim=1)[counts > 0] / counts[counts > 0]
    return shares.mean().item()

# %% wrong: a guard for the last axis only
# Checks that there is an alignment for each of the T words, so that (1, T) passes and is stretched over the batch.
# Shows for an alignment (1, T), or (T,), with B above 1: a number and no ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape[-1] != weights.shape[1]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    right = weights.argmax(dim=2) == alignment  # -1 is never the largest place
    counted = (alignment >= 0).expand_as(right)
    if counted.sum() == 0:
        raise ValueError("no token has a counterpart")
    return (right.sum() / counted.sum()).item()

# %% wrong: nothing to find is a share of zero
# Where no token has a counterpart the divisor is raised to 1, and 0.0 comes back as if all had been missed.
# Shows for an alignment of -1 throughout: no ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    right = (weights.argmax(dim=2) == alignment).sum().item()
    return right / max((alignment >= 0).sum().item(), 1)

# %% correct: does any key weigh more than the true one?

# No argmax: the weight at the true position is compared with the largest.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    b, t = (alignment >= 0).nonzero(as_tuple=True)
    if len(b) == 0:
        raise ValueError("no token has a counterpart")
    rows = weights[b, t]  # (N, S)
    true = rows.gather(1, alignment[b, t].unsqueeze(1))
    outweighed = (rows > true).any(dim=1)
    return 1.0 - outweighed.double().mean().item()

# %% correct: counted with plain lists

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:-1]):
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    found = []
    for sentence, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(sentence, places, strict=True):
            if place != -1:
                found.append(row.index(max(row)) == place)
    if not found:
        raise ValueError("no token has a counterpart")
    return sum(found) / len(found)
