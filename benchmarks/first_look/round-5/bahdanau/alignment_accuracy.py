# %% wrong: each sentence counts alike
# Each sentence gets its own share first and these are averaged, so that a token of a short sentence counts more. A
# sentence without any counterpart counts as nothing right.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=-1) == alignment) & counted
    shares = hits.sum(dim=1) / counted.sum(dim=1).clamp(min=1)
    return shares.mean().item()


# %% wrong: position zero counts as no counterpart
# Only alignments greater than 0 are counted; tokens that render the first word of the source fall out.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    if tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError("alignment must be (B, T), got " + str(tuple(alignment.shape)))
    best = weights.argmax(dim=2)
    has_one = alignment > 0
    if has_one.sum() == 0:
        raise ValueError("no token has a counterpart")
    return (best[has_one] == alignment[has_one]).double().mean().item()


# %% wrong: asks for more than half of the weight
# The weight on the true position is compared with 0.5. The largest of many weights may well be smaller than that.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    if alignment.shape != weights.shape[:-1]:
        raise ValueError(f"alignment has the shape {tuple(alignment.shape)}, not {tuple(weights.shape[:-1])}")
    real = alignment != -1
    if not real.any():
        raise ValueError("no token has a counterpart")
    on_it = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return ((on_it > 0.5) & real).sum().item() / real.sum().item()


# %% wrong: takes minus one for the end of the sentence
# The number of counterparts is taken for the length of the sentence and that many tokens from the left are counted.
# A word without a counterpart in the middle ("und") is counted as a miss, and a word at the end is left out.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment and weights do not fit")
    hits = 0
    count = 0
    for row, places in zip(weights, alignment):
        length = int((places != -1).sum())
        hits += int((row[:length].argmax(dim=-1) == places[:length]).sum())
        count += length
    if count == 0:
        raise ValueError("nothing is aligned")
    return hits / count


# %% wrong: the shape test looks at the number of axes only
# Any alignment with two axes is let through: one of shape (1, T) or (B, 1) broadcasts silently against (B, T), and
# gives a number in place of the ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    if weights.dim() != 3 or alignment.dim() != 2:
        raise ValueError("weights must be (B, T, S) and alignment (B, T)")
    chosen = weights.argmax(dim=-1)
    hit = (chosen == alignment).float()
    valid = (alignment >= 0).float().expand_as(hit)
    if valid.sum() == 0:
        raise ValueError("no token has a counterpart")
    return float((hit * valid).sum() / valid.sum())


# %% correct: plain lists and two loops

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    if list(alignment.shape) != list(weights.shape)[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} is not (B, T) for weights {tuple(weights.shape)}")
    outcomes = []
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place != -1:
                outcomes.append(row.index(max(row)) == place)
    if not outcomes:
        raise ValueError("no token has a counterpart")
    return sum(outcomes) / len(outcomes)


# %% correct: distances of the tokens that count

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    """How often the largest weight falls on the source position that the target token renders."""
    B, T, S = weights.shape
    if alignment.shape != (B, T):
        raise ValueError(f"expected an alignment of shape {(B, T)}, got {tuple(alignment.shape)}")
    places = alignment.flatten()
    (which,) = torch.where(places >= 0)
    if which.numel() == 0:
        raise ValueError("no token has a counterpart")
    looked_at = weights.reshape(B * T, S)[which].max(dim=1).indices
    missed = torch.count_nonzero(looked_at - places[which]).item()
    return 1.0 - missed / which.numel()
