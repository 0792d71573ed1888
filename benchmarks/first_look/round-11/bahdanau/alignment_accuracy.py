# %% wrong: position 0 has no counterpart
# A token counts where its alignment is above 0; position 0, the first source word, is a counterpart too. Shows for an
# alignment with a 0 in it, and where all are 0 it raises.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"alignment {tuple(alignment.shape)} does not fit weights {tuple(weights.shape)}")
    counted = alignment > 0
    if not counted.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2) == alignment
    return hits[counted].float().mean().item()


# %% wrong: only the length of the alignment is looked at
# T is compared and B is not: an alignment (1, T) broadcasts over the whole batch and gives a number where a ValueError
# is promised.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape[-1] != weights.shape[1]:
        raise ValueError("alignment and weights differ in the number of tokens")
    counted = (alignment >= 0).expand(weights.shape[:2])
    if counted.sum() == 0:
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=-1) == alignment) & counted
    return (hits.sum() / counted.sum()).item()


# %% wrong: most of the weight in place of the most weight
# A hit is a true position with more than half of the weight. Shows where the largest weight is on the true position and
# is below a half, as in (0.4, 0.3, 0.3).

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    real = alignment >= 0
    if not real.any():
        raise ValueError("no token has a counterpart")
    on_it = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return (on_it > 0.5)[real].double().mean().item()


# %% wrong: the caller's alignment is filled up
# The -1s are set to 0 in place, so that gather accepts them. The share is right the first time; the caller's alignment
# is changed, and the second call counts every token. Shows where there is a -1.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must be (B, T)")
    real = alignment != -1
    if not real.any():
        raise ValueError("no token has a counterpart")
    alignment[~real] = 0
    on_it = weights.gather(2, alignment.unsqueeze(2)).squeeze(2)
    hits = (on_it >= weights.amax(dim=2)) & real
    return hits.sum().item() / real.sum().item()


# %% correct: a count in plain Python

# Lists in place of tensors: a token is a hit where no weight of its row is above that of its true position.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if tuple(alignment.shape) != tuple(weights.shape[:2]):
        raise ValueError(f"alignment must be {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")
    looks = [row for sentence in weights.tolist() for row in sentence]
    truths = [place for sentence in alignment.tolist() for place in sentence]
    counted = [(row, place) for row, place in zip(looks, truths, strict=True) if place >= 0]
    if not counted:
        raise ValueError("no token has a counterpart")
    return sum(max(row) == row[place] for row, place in counted) / len(counted)


# %% correct: the rank of the true position

# Only the rows that count are kept, as pairs of indices; the true position is a hit where no other has more weight.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.dim() != 2 or alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} and alignment {tuple(alignment.shape)} do not fit")
    sentence, word = torch.where(alignment > -1)
    if sentence.numel() == 0:
        raise ValueError("nothing to count: no token has a counterpart")
    rows = weights.detach()[sentence, word]  # (number of counted tokens, S)
    true = rows[torch.arange(len(rows), device=rows.device), alignment[sentence, word]]
    with_more = (rows > true.unsqueeze(1)).sum(dim=1)
    return int((with_more == 0).sum()) / len(rows)
