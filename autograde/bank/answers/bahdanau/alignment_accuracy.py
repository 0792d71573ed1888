# %% wrong: tokens without a counterpart count as misses
# All B times T tokens were counted, padding and words without a counterpart too, and none of those can be hit. Count
# only where the alignment is not -1.

# --- before
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    return right.float().mean().item()

# %% wrong: source position 0 counts as none
# Tokens that render the first source word were left out: position 0 is a place, -1 means none.

# --- before
    aligned = alignment >= 0
# --- after
    aligned = alignment > 0

# %% wrong: the largest weight over the target axis
# The argmax ran over the target tokens. For each target token, find the source position with the most weight: the last
# axis.

# --- before
    right = weights.argmax(dim=2) == alignment
# --- after
    right = weights.argmax(dim=1) == alignment

# %% wrong: the weight on the right word instead of a hit
# What came back is the mean weight on the right word. The docstring asks how often that word has the largest weight.

# --- before
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    return weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)[aligned].mean().item()

# %% wrong: a mean of the sentences' shares
# Each sentence's share was averaged, so a short sentence counts as much as a long one. Divide all hits by all tokens
# that count.

# --- before
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    return ((right & aligned).sum(1) / aligned.sum(1).clamp(min=1)).mean().item()

# %% wrong: a tensor instead of a float
# The number is right but came back as a tensor. The docstring asks for a Python float.

# --- before
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    return (right & aligned).sum() / aligned.sum()

# %% wrong: nothing to measure gives zero
# Where no token has a counterpart there is nothing to measure, and 0 would read as a measurement. The docstring says
# what to raise.

# --- before
    if not aligned.any():
# --- after
    if not aligned.any():
        return 0.0

# %% wrong: a weight above one half counts as a hit
# A hit was counted where the right word has more than half of the weight. The largest weight may well be smaller than
# that: compare its place with the alignment.

# --- before
    right = weights.argmax(dim=2) == alignment
# --- after
    right = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2) > 0.5

# %% wrong: an alignment of another shape is reshaped
# An alignment of another shape was reshaped until it fitted, and then belongs to other words. The docstring says what
# to raise.

# --- before
    """
# --- after
    """
    alignment = alignment.reshape(weights.shape[:2])

# %% correct: selected by the mask
# --- before
    right = weights.argmax(dim=2) == alignment
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    return (weights.argmax(-1)[aligned] == alignment[aligned]).float().mean().item()

# %% correct: loops
# --- before
    right = weights.argmax(dim=2) == alignment
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    hits = count = 0
    for looks, places in zip(weights, alignment.tolist()):
        for look, j in zip(looks, places):
            count += j >= 0
            hits += j >= 0 and int(torch.argmax(look)) == j
    return hits / count

# %% correct: a mean over NaN for what does not count
# --- before
    return (right & aligned).sum().item() / aligned.sum().item()
# --- after
    return float(right.double().masked_fill(~aligned, float("nan")).nanmean())

# %% correct: the right word's weight is the maximum
# --- before
    right = weights.argmax(dim=2) == alignment
# --- after
    there = weights.gather(2, alignment.clamp(min=0)[..., None])[..., 0]
    right = there >= weights.amax(2)

# %% correct: flattened, with a weighted sum
def alignment_accuracy(weights, alignment):
    if alignment.shape != weights.shape[:2]:
        raise ValueError("shapes differ")
    best, truth = weights.flatten(0, 1).argmax(dim=1), alignment.flatten()
    counts = (truth >= 0).double()
    if counts.sum() == 0:
        raise ValueError("no counterparts")
    return ((best == truth).double() @ counts / counts.sum()).item()
