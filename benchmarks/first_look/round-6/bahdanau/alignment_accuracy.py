# %% wrong: source position zero counts as none
# The test is above zero, so words that render the first source word are left out like those with -1.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} for weights {tuple(weights.shape)}")
    has_one = alignment > 0
    if not has_one.any():
        raise ValueError("no token has a counterpart")
    hit = weights.argmax(dim=2) == alignment
    return hit[has_one].float().mean().item()


# %% wrong: mean of the sentences rather than of the tokens
# Each sentence counts the same however many of its words have a counterpart; the share asked for is over the tokens.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError("alignment must be (B, T)")
    shares = []
    for w, a in zip(weights, alignment):
        real = a >= 0
        if real.any():
            shares.append((w.argmax(-1)[real] == a[real]).float().mean().item())
    if not shares:
        raise ValueError("no token has a counterpart")
    return sum(shares) / len(shares)


# %% wrong: nothing to count gives zero
# Where no token has a counterpart the division is guarded and 0.0 comes back in place of a ValueError; the shape is not looked at either.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    valid = alignment != -1
    hits = (weights.argmax(dim=-1) == alignment) & valid
    return hits.sum().item() / max(valid.sum().item(), 1)


# %% wrong: at least half of the weight must lie there
# The largest weight may well be below one half; looking at the right place with 0.4 is counted as a miss.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:-1]:
        raise ValueError(f"expected {tuple(weights.shape[:-1])}, got {tuple(alignment.shape)}")
    counted = alignment >= 0
    if counted.sum() == 0:
        raise ValueError("nothing to count")
    on_word = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return ((on_word >= 0.5) & counted).sum().item() / counted.sum().item()


# %% wrong: minus one is read as the last position
# As in an index, -1 is turned into S - 1, so words without a counterpart count everywhere, and padding that looks at the end is a hit.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    B, T, S = weights.shape
    if alignment.shape != (B, T):
        raise ValueError("alignment must be (B, T)")
    if bool((alignment == -1).all()):
        raise ValueError("no token has a counterpart")
    looked_at = weights.argmax(dim=2)
    return (looked_at == alignment % S).double().mean().item()


# %% correct: counted in plain python

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if list(alignment.shape) != list(weights.shape)[:2]:
        raise ValueError(f"alignment has the shape {tuple(alignment.shape)}, not {tuple(weights.shape[:2])}")
    outcomes = []
    for rows, places in zip(weights.tolist(), alignment.tolist()):
        for row, place in zip(rows, places):
            if place != -1:
                outcomes.append(max(range(len(row)), key=row.__getitem__) == place)
    if not outcomes:
        raise ValueError("no token has a counterpart")
    return outcomes.count(True) / len(outcomes)


# %% correct: pick the counted rows first

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("one true position is needed for each target token")
    sentence, token = torch.where(alignment.ge(0))
    if sentence.numel() == 0:
        raise ValueError("there is nothing to count")
    brightest = weights[sentence, token].max(dim=1).indices
    hits = torch.eq(brightest, alignment[sentence, token]).sum().item()
    return hits / sentence.numel()
