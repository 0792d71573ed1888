# %% wrong: source position 0 counts as no counterpart
# Only alignment > 0 is kept: tokens that translate the first source word are left out. Shows as soon as one is.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    counted = alignment > 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2) == alignment
    return hits[counted].double().mean().item()


# %% wrong: "most weight" as more than half of it
# A hit needs a weight above 0.5 on the true position; a largest weight of 0.4 there is counted as a miss.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    at_word = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return (at_word > 0.5)[counted].double().mean().item()


# %% wrong: only the number of entries is compared
# An alignment (T, B) or (B * T,) has as many entries as (B, T): it is reshaped instead of refused with ValueError.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    looked_at = weights.argmax(dim=-1).flatten()
    alignment = alignment.reshape(-1)
    if len(alignment) != len(looked_at):
        raise ValueError("one source position for each target token, please")
    counted = alignment != -1
    if counted.sum() == 0:
        raise ValueError("no token has a counterpart")
    return (looked_at == alignment)[counted].sum().item() / counted.sum().item()


# %% wrong: leaves out the last column as the end token
# The last token of every row is dropped as "the end token", which -1 already marks. Wrong where the last token has a
# counterpart; with T = 1 it raises.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    looked_at, alignment = weights[:, :-1].argmax(dim=2), alignment[:, :-1]
    counted = alignment >= 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    return (looked_at == alignment)[counted].float().mean().item()


# %% correct: lists and a counter

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} for weights {tuple(weights.shape)}")
    verdicts = []
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place != -1:
                verdicts.append(max(range(len(row)), key=row.__getitem__) == place)
    if not verdicts:
        raise ValueError("no token has a counterpart")
    return verdicts.count(True) / len(verdicts)


# %% correct: one-hot choices, gathered at an extra column

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError("alignment must be (B, T)")
    length = weights.shape[2]
    chosen = F.one_hot(weights.sort(dim=2, descending=True).indices[:, :, 0], length + 1)
    column = alignment.remainder(length + 1)  # -1 becomes the extra column, which nobody chooses
    hits = int(chosen.gather(2, column.unsqueeze(2)).sum())
    named = int((column < length).sum())
    if named == 0:
        raise ValueError("no token has a counterpart")
    return hits / named
