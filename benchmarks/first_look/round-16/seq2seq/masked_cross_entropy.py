# %% wrong: nan_to_num for the batch of padding
# 0/0 of a batch without tokens is mended by nan_to_num, which also turns the NaN of a broken model into a loss of 0: wrong for
# logits with a NaN at a real token.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    mean = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    if not mean.isfinite():
        return (logits.nan_to_num() * 0.0).sum()
    return mean


# %% wrong: the first n places of each row
# Counts the real tokens of a row and takes that many places from the left. Nothing says that padding stands at the right:
# wrong for targets [[pad, 4, 5]], where pad is counted and 5 is not.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    lengths = (targets != pad_id).sum(dim=1, keepdim=True)
    places = torch.arange(targets.shape[1], device=targets.device)
    real = places < lengths  # (B, T)
    costs = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return torch.where(real, costs, torch.zeros_like(costs)).sum() / real.sum().clamp(min=1)


# %% wrong: padding may not be predicted, so it leaves the softmax
# The logit of pad_id is set to minus infinity, since no real token has this id. The docstring takes the softmax over all V:
# the loss is too small for every batch, clearly so where the logit of pad_id is large.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    V = logits.shape[2]
    is_pad = torch.arange(V, device=logits.device) == pad_id
    log_shares = logits.masked_fill(is_pad, -torch.inf).log_softmax(dim=2)
    real = targets != pad_id
    costs = -log_shares.gather(2, targets.unsqueeze(2)).squeeze(2)
    return costs.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)


# %% wrong: the cost of everything less the cost of padding
# Both sums hold what padding costs. With logits of 1e30 at padding, where that of pad_id is not the largest, the real costs are
# lost by rounding: the loss is 0 or far off.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    is_pad = targets.flatten() == pad_id
    rest = costs.sum() - costs[is_pad].sum()
    return rest / (~is_pad).sum().clamp(min=1)


# %% correct: only the real rows are kept, then logsumexp less the chosen score

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    scores, tokens = logits[real], targets[real]  # (N, V), (N,)
    costs = scores.logsumexp(dim=1) - scores.gather(1, tokens.unsqueeze(1)).squeeze(1)
    return costs.sum() / max(len(tokens), 1)


# %% correct: the class of padding has the weight zero

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    weight = torch.ones(logits.shape[2], dtype=logits.dtype, device=logits.device)
    weight[pad_id] = 0
    total = F.cross_entropy(logits.movedim(2, 1), targets, weight=weight, reduction="sum")
    count = torch.count_nonzero(targets - pad_id)
    return total / torch.where(count == 0, 1, count)
