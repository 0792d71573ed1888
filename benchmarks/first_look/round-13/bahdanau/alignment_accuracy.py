# %% wrong: the first source word has no counterpart
# `> 0` instead of `>= 0`: tokens that translate source position 0 count nowhere, and a batch in which only they have a
# counterpart raises.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment must be {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    real = alignment > 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2) == alignment
    return hits[real].double().mean().item()

# %% wrong: a mean of the sentences' shares
# Each sentence's share counts alike, whatever its length: another number where sentences have unequal counts of aligned
# tokens, as 1 of 1 and 0 of 3.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment is not (B, T)")
    shares = []
    for b in range(weights.shape[0]):
        real = alignment[b] != -1
        if real.any():
            looked = weights[b].argmax(dim=1)
            shares.append((looked[real] == alignment[b][real]).double().mean().item())
    if not shares:
        raise ValueError("no token has a counterpart")
    return sum(shares) / len(shares)

# %% wrong: only the number of tokens is compared
# The shape is checked by its last axis: an alignment (1, T) for B > 1 sentences broadcasts and gives a share (even one
# above 1) instead of a ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.dim() != 2 or alignment.shape[1] != weights.shape[1]:
        raise ValueError("weights and alignment do not fit")
    real = alignment >= 0
    count = int(real.sum())
    if count == 0:
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=2) == alignment) & real
    return hits.sum().item() / count

# %% wrong: most weight means more than half
# A hit is counted where the true position has more than 0.5 of the weight. The largest of (0.4, 0.3, 0.3) is a hit too,
# and here it is not.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    real = alignment >= 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    on_its_word = weights.gather(2, alignment.clamp_min(0).unsqueeze(2)).squeeze(2)
    return (on_its_word[real] > 0.5).double().mean().item()

# %% correct: plain lists, one token after the other

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:-1]):
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    outcomes = [
        max(range(len(row)), key=row.__getitem__) == true
        for sentence, truths in zip(weights.tolist(), alignment.tolist(), strict=True)
        for row, true in zip(sentence, truths, strict=True)
        if true != -1
    ]
    if not outcomes:
        raise ValueError("no token of the batch has a counterpart")
    return outcomes.count(True) / len(outcomes)

# %% correct: a table of true against looked-at positions, and its diagonal

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.ndim != 2 or alignment.shape[0] != weights.shape[0] or alignment.shape[1] != weights.shape[1]:
        raise ValueError("alignment must have a row for each sentence and a column for each token")
    sources = weights.shape[2]
    sentence, token = torch.nonzero(alignment + 1, as_tuple=True)
    if sentence.numel() == 0:
        raise ValueError("nothing to count")
    looked = weights.detach()[sentence, token].max(dim=1).indices
    confusion = torch.bincount(sources * alignment[sentence, token] + looked, minlength=sources**2)
    confusion = confusion.view(sources, sources)
    return int(confusion.trace()) / int(confusion.sum())
