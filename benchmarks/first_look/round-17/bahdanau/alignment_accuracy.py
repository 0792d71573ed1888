# %% wrong: position 0 counts as no counterpart
# alignment > 0 where >= 0 was meant: words that translate the first source word are left out. Shows for any
# alignment with a 0 (and raises where 0 is the only one).

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment is {tuple(alignment.shape)}, weights are {tuple(weights.shape)}")
    counted = alignment > 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2) == alignment
    return hits[counted].double().mean().item()

# %% wrong: the mean weight on the right word
# Returns how much weight lies on the true position on average, not how often the largest does. Shows for
# weights that are not one-hot: (0.6, 0.4) with alignment 0 gives 0.6, not 1.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    there = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return there[counted].double().mean().item()

# %% wrong: nearly the largest is large enough
# torch.isclose calls two weights equal that differ by little. Shows where the largest weight is just above
# the true position's, such as (0.500001, 0.499999) or (3e-9, 1e-9, 2e-9) with alignment 1.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    there = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    hits = torch.isclose(there, weights.amax(dim=2))
    return hits[counted].double().mean().item()

# %% wrong: any alignment of the right number is bent into shape
# Only the number of entries is tested, and reshape does the rest. Shows for alignments (T, B), (B * T,) or
# (B, T, 1), which must raise ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    batch, length, _ = weights.shape
    if alignment.numel() != batch * length:
        raise ValueError("alignment must be (B, T)")
    alignment = alignment.reshape(batch, length)
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=2) == alignment) & counted
    return (hits.sum() / counted.sum()).item()

# %% correct: plain lists, word by word

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if list(alignment.shape) != list(weights.shape[:-1]) or alignment.dim() != 2:
        raise ValueError(f"need an alignment {tuple(weights.shape[:-1])}, got {tuple(alignment.shape)}")
    right = asked = 0
    for sentence, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(sentence, places, strict=True):
            if place == -1:
                continue
            asked += 1
            right += max(range(len(row)), key=row.__getitem__) == place
    if asked == 0:
        raise ValueError("no token of the batch has a counterpart")
    return right / asked

# %% correct: nothing is larger than the weight at the true position

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment and weights do not fit")
    b, t = torch.where(alignment != -1)
    if b.numel() == 0:
        raise ValueError("nothing to count: no token has a counterpart")
    rows = weights[b, t]  # (number that count, S)
    own = rows[torch.arange(len(b), device=rows.device), alignment[b, t]]
    beaten = (rows > own[:, None]).any(dim=1)
    return 1.0 - int(beaten.sum()) / len(b)
