# %% wrong: the NaN of an empty batch is removed after the fact
# nan_to_num also hides a NaN among the logits of a real token: the loss is 0 then, not NaN.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="sum")
    return torch.nan_to_num(total / (targets != pad_id).sum())


# %% wrong: padding is taken out of the vocabulary as well
# The column of pad_id is filled with minus infinity, so the softmax runs over V - 1 tokens. The loss of every real token
# is too low, by more the more the model believes in padding.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    column = torch.arange(logits.shape[2], device=logits.device) == pad_id
    real = targets != pad_id
    allowed = logits[real].masked_fill(column, float("-inf"))
    costs = F.cross_entropy(allowed, targets[real], reduction="sum")
    return costs / real.sum().clamp(min=1)


# %% wrong: a mean of the sentences' means
# Each sentence weighs the same, whatever its length, and a row of nothing but padding counts as a loss of 0. It shows for
# rows of different lengths.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")  # (B, T)
    words = (targets != pad_id).sum(dim=1)
    return (costs.sum(dim=1) / words.clamp(min=1)).mean()


# %% wrong: view in place of flatten
# view needs numbers that lie side by side. Logits or targets that come out of a transpose, as from a model with time first,
# raise a RuntimeError.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total = F.cross_entropy(
        logits.view(-1, logits.shape[-1]), targets.view(-1), ignore_index=pad_id, reduction="sum"
    )
    return total / max((targets != pad_id).sum().item(), 1)


# %% correct: only the real rows are looked at

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    b, t = (targets != pad_id).nonzero(as_tuple=True)
    scores, tokens = logits[b, t], targets[b, t]  # (n, V), (n,)
    costs = scores.logsumexp(dim=1) - scores.gather(1, tokens[:, None])[:, 0]
    return costs.sum() / max(len(tokens), 1)


# %% correct: a class weight of zero for padding

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    weight = torch.ones(logits.shape[2], dtype=logits.dtype, device=logits.device)
    weight[pad_id] = 0
    log_shares = torch.log_softmax(logits, dim=2).flatten(0, 1)
    total = F.nll_loss(log_shares, targets.flatten(), weight=weight, reduction="sum")
    return total / weight[targets].sum().clamp(min=1)
