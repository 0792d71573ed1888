# %% wrong: every NaN taken for an empty batch
# ignore_index gives 0/0 = NaN where no token is left, and the repair asks whether the loss is NaN, not whether a token is left. Shows where a
# real token's logits hold a NaN: the loss is 0 and hides it.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    if torch.isnan(loss):  # nothing but padding
        return (logits.nan_to_num() * 0).sum()
    return loss

# %% wrong: the padding's class taken out of the softmax
# "No token, and counts nowhere": the logit of pad_id is set to minus infinity, so the others share out the whole. Shows for every batch with a
# real token: the loss is too low by -log(1 - p(pad)).

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    is_pad = torch.arange(logits.shape[2], device=logits.device) == pad_id
    possible = logits.masked_fill(is_pad, -math.inf)
    total = F.cross_entropy(possible.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    return total / (targets != pad_id).sum().clamp(min=1)

# %% wrong: the real tokens taken for the first ones
# Counts each row's real tokens and takes that many from the left, though a target equal to pad_id may stand anywhere. Shows for targets such
# as [[pad, 5, 6]] or [[5, pad, 6]].

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    lengths = (targets != pad_id).sum(dim=1, keepdim=True)  # (B, 1)
    real = torch.arange(targets.shape[1], device=targets.device) < lengths  # (B, T)
    costs = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    return costs.masked_fill(~real, 0).sum() / real.sum().clamp(min=1)

# %% wrong: minus the logarithm of a softmax, times a mask
# At padding with logits such as 1e30 the target's share is exactly 0, its cost infinite, and infinity times the mask's 0 is NaN. Shows where
# padding holds large logits, and for a real token whose share underflows.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    shares = torch.softmax(logits, dim=-1)
    cost = -shares.gather(2, targets.unsqueeze(2)).squeeze(2).log()  # (B, T)
    mask = (targets != pad_id).to(logits.dtype)
    return (cost * mask).sum() / mask.sum().clamp(min=1)

# %% correct: the padding's class weighs nothing

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    weight = torch.ones(logits.shape[2], dtype=logits.dtype, device=logits.device)
    weight[pad_id] = 0
    total = F.cross_entropy(logits.transpose(1, 2), targets, weight=weight, reduction="sum")
    return total / weight[targets].sum().clamp(min=1)

# %% correct: only the real rows, each less its own target's logit

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    rows, columns = (targets != pad_id).nonzero(as_tuple=True)
    real = logits[rows, columns]  # (n, V), perhaps none
    right = real.gather(1, targets[rows, columns].unsqueeze(1))  # (n, 1)
    costs = torch.logsumexp(real - right, dim=1)  # the target's own logit is now 0
    return costs.sum() / max(len(rows), 1)
