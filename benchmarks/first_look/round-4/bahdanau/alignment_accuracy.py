# %% wrong: tokens without a counterpart count as misses
# The largest weight is compared with the alignment at every token. No position is ever -1, so words without a counterpart, end tokens and padding all lower the share.
# Hint: what should come out for a sentence whose only aligned word is hit, and which has three pads?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    if (alignment < 0).all():
        raise ValueError("no token has a counterpart")
    return (weights.argmax(dim=-1) == alignment).float().mean().item()


# %% wrong: the first source position counts as no counterpart
# The tokens that count are those with an alignment greater than zero. Position 0 is a source word like the others, and the tokens that render it are left out.
# Hint: from which number do positions count, and which number stands for none?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    counted = alignment > 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=-1)[counted] == alignment[counted]
    return hits.double().mean().item()


# %% wrong: the mean of the sentences' shares instead of the share of tokens
# Each sentence's share is worked out and then averaged, so that a token of a short sentence weighs more than one of a long sentence, and a sentence without aligned tokens counts as zero.
# Hint: one sentence with one aligned token that is hit, one with nine that are missed: what share of the ten is hit?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=-1) == alignment) & counted
    per_sentence = hits.sum(dim=1) / counted.sum(dim=1).clamp(min=1)
    return per_sentence.mean().item()


# %% wrong: the weight on the true position instead of how often it is the largest
# The weights at the true positions are averaged. A token whose true position has weight 0.4, the largest of its row, adds 0.4 where it should add one.
# Hint: read the first line of the docstring again: is it about how much weight, or about how often?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    on_true = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return on_true[counted].mean().item()


# %% wrong: zero in place of an error where nothing can be counted
# Where no token has a counterpart the function answers 0.0, as if every look had been wrong, instead of raising ValueError.
# Hint: read the last sentence of the docstring: it names two cases.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if weights.shape[:2] != alignment.shape:
        raise ValueError("alignment must be (B, T)")
    valid = alignment != -1
    correct = (weights.argmax(-1) == alignment) & valid
    return (correct.sum() / valid.sum().clamp(min=1)).item()


# %% correct: a loop that counts hits with integers

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError(f"alignment must be {tuple(weights.shape[:2])}, not {tuple(alignment.shape)}")
    hits = total = 0
    for row, true in zip(weights.flatten(0, 1), alignment.flatten().tolist(), strict=True):
        if true == -1:
            continue
        total += 1
        hits += int(row.argmax()) == true
    if total == 0:
        raise ValueError("no target token has a counterpart in the source")
    return hits / total


# %% correct: a weight for each token and a weighted mean of the hits

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.ndim != 2 or alignment.shape != weights.shape[:-1]:
        raise ValueError(f"expected an alignment of shape (B, T), found {tuple(alignment.shape)}")
    counts = alignment.ge(0).double()
    if counts.sum() == 0:
        raise ValueError("nothing is aligned")
    _, looked_at = weights.max(dim=2)
    hit = looked_at.eq(alignment).double()
    return float((hit * counts).sum() / counts.sum())
