# %% wrong: the first source word does not count
# `> 0` in place of `>= 0`: target words whose true position is 0 are left out as if they had no counterpart. Where they are
# the only ones, a ValueError is raised.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} for weights {tuple(weights.shape)}")
    real = alignment > 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2)[real] == alignment[real]
    return hits.double().mean().item()


# %% wrong: an empty count gives zero
# Where no token has a counterpart the share is said to be 0.0. The docstring asks for a ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} for weights {tuple(weights.shape)}")
    counted = (alignment != -1).sum().item()
    hits = (weights.argmax(dim=-1) == alignment).sum().item()
    return hits / max(counted, 1)


# %% wrong: an alignment that broadcasts is let through
# Only T is compared. An alignment (1, T) beside weights of several sentences is stretched: no ValueError, and a share that
# is divided by the words of one sentence.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.ndim != 2 or alignment.shape[1] != weights.shape[1]:
        raise ValueError(f"need alignment (B, T), got {tuple(alignment.shape)}")
    real = alignment >= 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=2) == alignment) & real
    return (hits.sum() / real.sum()).item()


# %% wrong: a hit needs more than half of the weight
# The weight on the true position is compared with 0.5, not with the other weights. A largest weight of 0.4 on the right word
# counts as a miss.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} for weights {tuple(weights.shape)}")
    real = alignment >= 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    on_it = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return (on_it[real] > 0.5).float().mean().item()


# %% correct: lists and a count

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if weights.dim() != 3 or list(alignment.shape) != list(weights.shape)[:2]:
        raise ValueError(f"need weights (B, T, S) and alignment (B, T), got {weights.shape}, {alignment.shape}")
    hits = misses = 0
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place < 0:
                continue
            if row.index(max(row)) == place:
                hits += 1
            else:
                misses += 1
    if hits + misses == 0:
        raise ValueError("no token has a counterpart")
    return hits / (hits + misses)


# %% correct: no other weight is larger than the one on the true position

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.size() != weights.size()[:-1]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    b, t = torch.nonzero(alignment + 1, as_tuple=True)
    if len(b) == 0:
        raise ValueError("nothing is aligned")
    rows = weights[b, t]  # (n, S)
    on_the_word = rows[torch.arange(len(b), device=rows.device), alignment[b, t]]
    beaten = (rows > on_the_word.unsqueeze(1)).any(dim=1)
    return 1 - beaten.sum().item() / len(b)
