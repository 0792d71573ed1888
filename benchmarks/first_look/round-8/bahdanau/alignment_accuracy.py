# %% wrong: position 0 counts as no counterpart
# alignment > 0 where >= 0 is meant: tokens that render the first source word are left out of both counts, and
# where all render it the function raises.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    counted = alignment > 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    return (weights.argmax(dim=2) == alignment)[counted].float().mean().item()


# %% wrong: a mean of the sentences' shares
# Each sentence counts the same, where the share is asked for over all tokens. Shows where the sentences have
# unequally many tokens with a counterpart; one without any is counted as 0.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    counted = alignment >= 0
    if counted.sum() == 0:
        raise ValueError("no token has a counterpart")
    right = (weights.argmax(dim=-1) == alignment) & counted
    return float((right.sum(dim=1) / counted.sum(dim=1).clamp(min=1)).mean())


# %% wrong: nothing to count gives 0.0
# Guards against 0/0 by a divisor of at least 1 and returns 0.0 where ValueError is asked for.
# Shows where the whole alignment is -1.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    counted = alignment != -1
    right = (weights.argmax(dim=-1) == alignment) & counted
    return right.sum().item() / max(counted.sum().item(), 1)


# %% wrong: the shape is left to broadcasting
# Only the number of axes is looked at: an alignment (1, T) or (B, 1) is spread over the batch without a word.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if weights.ndim != 3 or alignment.ndim != 2:
        raise ValueError(f"need weights (B, T, S) and alignment (B, T), got {weights.shape} and {alignment.shape}")
    places = (alignment >= 0).expand(weights.shape[:2])
    if not places.any():
        raise ValueError("no token has a counterpart")
    right = weights.argmax(dim=2) == alignment
    return right[places].double().mean().item()


# %% correct: plain lists, one token at a time

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if weights.ndim != 3 or tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError(f"weights {tuple(weights.shape)} do not fit alignment {tuple(alignment.shape)}")
    hits = []
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place >= 0:
                hits.append(max(range(len(row)), key=row.__getitem__) == place)
    if not hits:
        raise ValueError("no token has a counterpart")
    return sum(hits) / len(hits)


# %% correct: the diagonal of a table of true and looked-at positions

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if weights.ndim != 3 or alignment.ndim != 2 or alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} do not fit alignment {tuple(alignment.shape)}")
    size = weights.shape[2]
    b, t = (alignment + 1).nonzero(as_tuple=True)
    if b.numel() == 0:
        raise ValueError("no token has a counterpart")
    looked = weights.detach()[b, t].argmax(dim=1)
    table = torch.bincount(alignment[b, t] * size + looked, minlength=size * size).reshape(size, size)
    return table.trace().item() / table.sum().item()
