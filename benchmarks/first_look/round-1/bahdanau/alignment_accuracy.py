# %% wrong: mean of the sentences' shares
# Each sentence's share first, then the mean over sentences: a sentence with one aligned word counts as much as one with twenty, and a sentence with none makes NaN. A good message: "sentences with different numbers of aligned words: one share over all tokens".

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2] or (alignment < 0).all():
        raise ValueError(f"weights {tuple(weights.shape)}, alignment {tuple(alignment.shape)}")
    shares = []
    for w, a in zip(weights, alignment, strict=True):
        aligned = a >= 0
        shares.append((w.argmax(dim=1)[aligned] == a[aligned]).double().mean())
    return torch.stack(shares).mean().item()

# %% wrong: position 0 left out
# alignment > 0 takes the first source position for "none" as well. A good message: "tokens that render source position 0 do not count: none is -1".

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    real = alignment > 0
    if alignment.shape != weights.shape[:2] or not real.any():
        raise ValueError(f"weights {tuple(weights.shape)}, alignment {tuple(alignment.shape)}, or nothing aligned")
    return (weights.argmax(dim=-1) == alignment)[real].double().mean().item()

# %% wrong: counts weights above one half
# "The largest weight falls on it" is read as "more than half of the weight is there". A good message: "a weight of 0.4 can be the largest: compare with argmax".

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:-1]):
        raise ValueError("alignment must be (B, T)")
    aligned = alignment != -1
    if aligned.sum() == 0:
        raise ValueError("no token has a counterpart")
    on_it = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return ((on_it > 0.5) & aligned).sum().item() / aligned.sum().item()

# %% correct: plain Python over lists

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.ndim != 2 or weights.shape[:-1] != alignment.shape:
        raise ValueError(f"need alignment (B, T) for weights (B, T, S), got {tuple(alignment.shape)}")
    looked = weights.max(dim=-1)[1].flatten().tolist()
    hits = [where == truth for where, truth in zip(looked, alignment.flatten().tolist(), strict=True) if truth >= 0]
    try:
        return sum(hits) / len(hits)
    except ZeroDivisionError:
        raise ValueError("no token has a counterpart") from None
