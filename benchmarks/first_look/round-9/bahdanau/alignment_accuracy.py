# %% wrong: the first source position left out
# alignment > 0 also drops the tokens that render source position 0.
# Shows where a token is aligned to 0: it counts nowhere, and a batch of such tokens raises.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    has = alignment > 0
    if not has.any():
        raise ValueError("no token has a counterpart")
    hits = weights.argmax(dim=2)[has] == alignment[has]
    return hits.float().mean().item()

# %% wrong: a mean of the sentences' means
# Each sentence's share is worked out first and these are averaged, so a token of a short sentence counts more.
# Shows for two sentences with different numbers of counterparts and different shares.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    has = alignment >= 0
    if not has.any():
        raise ValueError("no token has a counterpart")
    hits = (weights.argmax(dim=-1) == alignment) & has
    counts = has.sum(dim=1)
    used = counts > 0
    return (hits.sum(dim=1)[used] / counts[used]).mean().item()

# %% wrong: more than half of the weight asked for
# Counts a hit where the true position's weight is above 0.5; the largest weight of a row can be far below that.
# Shows for a row such as 0.4, 0.3, 0.3 aligned to 0: right, and not counted.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.shape != weights.shape[:2]:
        raise ValueError(f"weights {tuple(weights.shape)} need alignment (B, T), got {tuple(alignment.shape)}")

    has = alignment >= 0
    if has.sum() == 0:
        raise ValueError("no token has a counterpart")
    on_it = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)
    return ((on_it > 0.5) & has).sum().item() / has.sum().item()

# %% wrong: only the number of sentences compared
# Checks the batch axis alone; an alignment (B, 1) is spread over all T tokens in silence.
# Shows for alignment (B, 1) with T above 1, where ValueError is promised; a share comes back.

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.ndim != 2 or len(alignment) != len(weights):
        raise ValueError(f"need alignment (B, T), got {tuple(alignment.shape)}")
    alignment, chosen = torch.broadcast_tensors(alignment, weights.argmax(dim=-1))
    known = alignment != -1
    if not known.any():
        raise ValueError("no token has a counterpart")
    return (chosen == alignment)[known].double().mean().item()

# %% correct: counted in plain Python

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    B, T, S = weights.shape
    if tuple(alignment.shape) != (B, T):
        raise ValueError(f"weights {(B, T, S)} need alignment {(B, T)}, got {tuple(alignment.shape)}")
    hits = []
    for rows, places in zip(weights.tolist(), alignment.tolist(), strict=True):
        for row, place in zip(rows, places, strict=True):
            if place >= 0:
                hits.append(max(range(S), key=row.__getitem__) == place)
    if not hits:
        raise ValueError("no target token has a counterpart in the source")
    return sum(hits) / len(hits)

# %% correct: the diagonal of a table of true and chosen places

def alignment_accuracy(weights: Tensor, alignment: Tensor) -> float:
    if alignment.ndim != 2 or weights.ndim != 3 or alignment.shape != weights.shape[:-1]:
        raise ValueError(f"got weights {tuple(weights.shape)} and alignment {tuple(alignment.shape)}")
    S = weights.shape[2]
    b, t = torch.nonzero(alignment.ge(0), as_tuple=True)
    if b.numel() == 0:
        raise ValueError("all tokens are without a counterpart")
    chosen = weights.detach()[b, t].argmax(dim=1)  # (N,)
    table = torch.bincount(S * alignment[b, t] + chosen, minlength=S * S).reshape(S, S)
    return int(table.diagonal().sum()) / int(table.sum())
