# %% wrong: divided by all the tokens
# Tokens without a counterpart count in the denominator, where the docstring says that they count nowhere.
# Hint: add a column of -1 to the alignment; may the share change?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    if (alignment == -1).all():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=2) == alignment).sum()
    return hits.item() / alignment.numel()


# %% wrong: no error where nothing is aligned
# The mean of nothing is NaN, and NaN comes back where the docstring promises a ValueError.
# Hint: what does your function say of an alignment that is -1 everywhere?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment must be {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    aligned = alignment >= 0
    hits = weights.argmax(dim=2) == alignment
    return hits[aligned].float().mean().item()


# %% wrong: position zero left out
# alignment > 0 drops the tokens that render source position 0, which is a position like any other.
# Hint: which number marks a token without a counterpart, and which the first word?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:-1]:
        raise ValueError("the alignment has to have the shape (B, T)")
    counted = alignment > 0
    if not counted.any():
        raise ValueError("no target token has a counterpart")
    hits = (weights.argmax(dim=-1) == alignment) & counted
    return (hits.sum() / counted.sum()).item()


# %% wrong: mean of the sentences' shares
# Each sentence's share is worked out and these are averaged: right where all have equally many aligned words, and else not the share of the tokens.
# Hint: one sentence with one aligned word and one with nine: how much does each word count?

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    aligned = alignment != -1
    if not aligned.any():
        raise ValueError("no token has a counterpart")
    shares = []
    for row, truth, here in zip(weights, alignment, aligned):
        if here.any():
            shares.append((row[here].argmax(dim=1) == truth[here]).double().mean().item())
    return sum(shares) / len(shares)


# %% correct: counted in plain Python

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.dim() != 2 or list(alignment.shape) != list(weights.shape[:2]):
        raise ValueError(f"alignment {tuple(alignment.shape)} does not go with weights {tuple(weights.shape)}")
    looked = weights.argmax(dim=-1).flatten().tolist()
    pairs = [(j, truth) for j, truth in zip(looked, alignment.flatten().tolist(), strict=True) if truth != -1]
    if not pairs:
        raise ValueError("there is no token with a counterpart")
    return sum(j == truth for j, truth in pairs) / len(pairs)
