# %% wrong: position 0 counts as none
# alignment > 0 leaves out the tokens that render the first source word: one share too high or too low, and a ValueError where
# all counterparts are at position 0.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    counts = alignment > 0
    if not counts.any():
        raise ValueError("no token has a counterpart")
    return (weights.argmax(dim=2) == alignment)[counts].double().mean().item()

# %% wrong: a sentence ends at its first -1
# The loop breaks at a token without a counterpart, as if only the end and the padding were marked so. Shows for -1 in the middle
# of a sentence, as for "und": the tokens after it are not counted.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)}, alignment {tuple(alignment.shape)}")
    looked = weights.argmax(dim=-1).tolist()
    hits = count = 0
    for row, truth in zip(looked, alignment.tolist(), strict=True):
        for j, true_j in zip(row, truth, strict=True):
            if true_j == -1:
                break
            count += 1
            hits += j == true_j
    if count == 0:
        raise ValueError("no token has a counterpart")
    return hits / count

# %% wrong: only the number of entries is compared
# An alignment (T, B), or one already flattened, has as many entries as (B, T), passes, and is compared with the wrong tokens
# instead of raising ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    best = weights.argmax(dim=2).flatten()
    if alignment.numel() != best.numel():
        raise ValueError("alignment is not (B, T)")
    truth = alignment.flatten()
    known = truth >= 0
    if known.sum() == 0:
        raise ValueError("no token has a counterpart")
    return ((best == truth) & known).sum().item() / known.sum().item()

# %% wrong: view on whatever lies in memory
# view(-1, S) needs weights that are contiguous. Weights that were transposed, as those stacked along time first and then
# turned round, raise a RuntimeError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError("alignment must be (B, T)")
    flat, truth = weights.view(-1, weights.shape[-1]), alignment.view(-1)
    here = truth != -1
    if not here.any():
        raise ValueError("no token with a counterpart")
    hits = flat[here].argmax(dim=1) == truth[here]
    return float(hits.double().mean())

# %% correct: the true position's weight against the largest
# A hit where no weight of the row is larger than the one at the true position: of equal ones, the true one is taken.
def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    token = (alignment != -1).nonzero(as_tuple=True)
    if len(token[0]) == 0:
        raise ValueError("no token has a counterpart")
    rows, truth = weights[token], alignment[token]
    larger = (rows > rows.gather(1, truth.unsqueeze(1))).sum(dim=1)
    return int((larger == 0).sum()) / len(truth)

# %% correct: plain lists and a generator
def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    sentences, length, _ = weights.shape
    if list(alignment.shape) != [sentences, length]:
        raise ValueError(f"alignment has the shape {tuple(alignment.shape)}, not {(sentences, length)}")
    table, truths = weights.tolist(), alignment.tolist()
    hits = [
        max(range(len(row)), key=row.__getitem__) == truth
        for rows, wanted in zip(table, truths, strict=True)
        for row, truth in zip(rows, wanted, strict=True)
        if truth >= 0
    ]
    if not hits:
        raise ValueError("no token has a counterpart")
    return hits.count(True) / len(hits)
