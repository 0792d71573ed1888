# %% wrong: the first word has no counterpart
# Takes alignment > 0 for "has a counterpart", and leaves out the tokens that render source position 0. Shows wherever a
# 0 stands in the alignment; if only zeros stand there, it raises.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")

    known = alignment > 0
    if not known.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2) == alignment
    return hits[known].double().mean().item()


# %% wrong: assertions for the errors
# Guards with assert: an AssertionError is no ValueError. Shows for an alignment (1, T), and for one of nothing but -1.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    assert alignment.shape == weights.shape[:2], "alignment must be (B, T)"
    known = alignment != -1
    assert known.any(), "no token has a counterpart"
    return (weights.argmax(dim=-1)[known] == alignment[known]).double().mean().item()


# %% wrong: more than half of the weight
# Counts a token where its true position has more than half of the weight, not where it has the largest. Shows for
# spread weights, such as 0.4, 0.3, 0.3, and for weights that do not sum to one.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"need alignment {tuple(weights.shape[:2])}, got {tuple(alignment.shape)}")

    known = alignment >= 0
    if not known.any():
        raise ValueError("no token has a counterpart")
    on_it = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return (on_it[known] > 0.5).double().mean().item()


# %% wrong: as many entries for a shape
# Compares the counts of entries and folds the alignment to (B, T): one of (T, B) or (B * T,) passes without a
# ValueError. Right for every alignment that is (B, T).

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.numel() != weights.shape[0] * weights.shape[1]:
        raise ValueError(f"{alignment.numel()} positions for weights {tuple(weights.shape)}")
    alignment = alignment.reshape(weights.shape[:2])
    known = alignment >= 0
    if not known.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=2) == alignment) & known
    return hits.sum().item() / known.sum().item()


# %% correct: counted with plain numbers

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if list(alignment.shape) != list(weights.shape[:2]):
        raise ValueError(f"need alignment (B, T), got {tuple(alignment.shape)} for weights {tuple(weights.shape)}")
    hits = asked = 0
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place != -1:
                asked += 1
                hits += row.index(max(row)) == place
    if asked == 0:
        raise ValueError("no token of the batch has a counterpart")
    return hits / asked


# %% correct: no other weight is larger

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.dim() != 2 or alignment.shape != weights.shape[:2]:
        raise ValueError("alignment must have one position for each target token")
    b, t = torch.nonzero(alignment + 1, as_tuple=True)
    if b.numel() == 0:
        raise ValueError("nothing to count: every alignment is -1")
    rows = weights[b, t]  # (n, S)
    mine = rows.gather(1, alignment[b, t].unsqueeze(1))
    beaten = (rows > mine).any(dim=1)
    return 1.0 - beaten.sum().item() / len(rows)
