# %% wrong: position 0 counted as no counterpart
# alignment > 0 leaves out the tokens that render the first source word; only -1 means that there is none.
# Shows where such tokens are hit more or less often than others, and raises where all render position 0 (S = 1).

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    known = alignment > 0

    if not known.any():
        raise ValueError("no token has a counterpart")

    hits = weights.argmax(dim=2) == alignment
    return hits[known].double().mean().item()


# %% wrong: the mean of the sentences' shares
# Each sentence's share is taken first and then their mean, so a token of a short sentence counts for more; the share of
# all tokens is asked. Shows where the sentences have different counts of tokens with a counterpart.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    known = alignment >= 0

    if not known.any():
        raise ValueError("no token has a counterpart")

    hits = (weights.argmax(dim=2) == alignment) & known
    counted = known.sum(dim=1)
    shares = hits.sum(dim=1)[counted > 0] / counted[counted > 0]
    return float(shares.mean())


# %% wrong: an alignment that broadcasts is taken
# Only the length T is looked at: alignment (T,) or (1, T) for B sentences passes and is broadcast, and the share even
# comes out above 1. ValueError is promised where alignment is not (B, T).

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape[-1] != weights.shape[1]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")
    known = alignment >= 0

    if not known.any():
        raise ValueError("no token has a counterpart")

    hits = (weights.argmax(dim=-1) == alignment) & known
    return hits.sum().item() / known.sum().item()


# %% wrong: the caller's alignment is clamped
# clamp_ makes every -1 a 0 in the caller's tensor, so that gather does not fail. The first result is right; the second
# call with the same alignment counts those tokens too. Shows where a -1 stands in it.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    known = alignment >= 0

    if not known.any():
        raise ValueError("no token has a counterpart")

    index = alignment.clamp_(min=0).unsqueeze(2)
    on_its_word = weights.gather(2, index).squeeze(2)
    hits = on_its_word >= weights.amax(dim=2)
    return hits[known].double().mean().item()


# %% correct: plain lists and a count

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    hits = []
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place != -1:
                hits.append(max(range(len(row)), key=row.__getitem__) == place)
    if not hits:
        raise ValueError("no token has a counterpart")
    return sum(hits) / len(hits)


# %% correct: only the rows with a counterpart, the true column against the sorted ones

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    sentence, token = (alignment + 1).nonzero(as_tuple=True)
    if sentence.numel() == 0:
        raise ValueError("no token has a counterpart")
    order = weights[sentence, token].sort(dim=1, descending=True).indices  # (N, S)
    missed = torch.count_nonzero(order[:, 0] - alignment[sentence, token])
    return 1.0 - int(missed) / len(sentence)
