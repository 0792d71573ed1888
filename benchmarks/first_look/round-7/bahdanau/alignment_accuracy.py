# %% wrong: divided by all tokens
# The hits are divided by B * T, so tokens without a counterpart count as misses.
# Shows wherever a -1 stands in the alignment and there is at least one hit.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or not (alignment >= 0).any():
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    hits = weights.argmax(dim=-1) == alignment
    return hits.float().mean().item()


# %% wrong: the first word has no counterpart
# alignment > 0 in place of >= 0: the tokens that render source position 0 are left out (and where there are no
# others it raises). Shows where the share at position 0 differs from the share elsewhere.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    real = alignment > 0
    if real.sum() == 0:
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2)[real] == alignment[real]
    return (hits.sum() / real.sum()).item()


# %% wrong: shapes taken on trust
# Does not look at the shapes: an alignment (T,) or (1, T) is broadcast over the batch and a number comes back,
# where a ValueError is promised.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    real = alignment >= 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=-1) == alignment) & real
    return hits.sum().item() / real.expand_as(hits).sum().item()


# %% wrong: zero where there is nothing to count
# Where no token has a counterpart it returns 0.0, in place of raising ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    hits = total = 0
    for row, places in zip(weights, alignment.tolist(), strict=True):
        for looked, place in zip(row.argmax(dim=1).tolist(), places, strict=True):
            if place >= 0:
                total += 1
                hits += looked == place
    return hits / max(total, 1)


# %% correct: a walk over the source positions that keeps the best so far

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if weights.ndim != 3 or alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")
    counted = alignment.ge(0).sum().item()
    if not counted:
        raise ValueError("no token has a counterpart")
    best, place = weights[..., 0], torch.zeros_like(alignment)
    for j in range(1, weights.shape[2]):
        better = weights[..., j] > best
        best, place = torch.where(better, weights[..., j], best), place.masked_fill(better, j)
    return place.eq(alignment).sum().item() / counted  # a place is never -1


# %% correct: plain lists, hits and misses put into a mean of Python's

from statistics import fmean


def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:-1]) or alignment.ndim != 2:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")
    verdicts = [
        float(max(range(len(row)), key=row.__getitem__) == place)
        for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True)
        for row, place in zip(rows, places, strict=True)
        if place != -1
    ]
    if not verdicts:
        raise ValueError("no token has a counterpart")
    return fmean(verdicts)
