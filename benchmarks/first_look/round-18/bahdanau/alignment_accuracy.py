# %% wrong: mean of the sentences
# A mean of sentences' shares; shows where sentences have different numbers of aligned words.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or not (alignment >= 0).any():
        raise ValueError("shape or no counterpart")
    known = alignment >= 0
    hits = (weights.argmax(2) == alignment) & known
    per = hits.sum(1)[known.any(1)].double() / known.sum(1)[known.any(1)]
    return per.mean().item()

# %% wrong: -1 counts as a miss
# The share is of all tokens; shows wherever one has no counterpart.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or not (alignment >= 0).any():
        raise ValueError("shape or no counterpart")
    return (weights.argmax(2) == alignment).double().mean().item()

# %% wrong: position 0 has no counterpart
# Asks for alignment > 0: tokens that render position 0 do not count.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or not (alignment > 0).any():
        raise ValueError("shape or no counterpart")
    known = alignment > 0
    return (weights.argmax(2) == alignment)[known].double().mean().item()

# %% wrong: the shape is not checked
# An alignment of (1, T) broadcasts and gives no ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    known = (alignment >= 0).expand(weights.shape[:2])
    if not known.any():
        raise ValueError("no counterpart")
    return (weights.argmax(2) == alignment)[known].double().mean().item()

# %% correct: by gathering the true weight

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or not (alignment >= 0).any():
        raise ValueError("shape or no counterpart")
    rows, columns = (alignment >= 0).nonzero(as_tuple=True)
    chosen = weights[rows, columns].argmax(dim=1)
    return int((chosen == alignment[rows, columns]).sum()) / len(rows)

# %% correct: a loop over plain lists

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or not (alignment >= 0).any():
        raise ValueError("shape or no counterpart")
    hits = total = 0
    for row, truth in zip(weights.tolist(), alignment.tolist(), strict=True):
        for shares, place in zip(row, truth, strict=True):
            if place != -1:
                total += 1
                hits += shares.index(max(shares)) == place
    return hits / total

