# %% wrong: mean of each sentence first
# Every sentence counts the same, however long: wrong where the rows have different numbers of real tokens, and a row of
# nothing but padding pulls the mean down.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").reshape(targets.shape)
    real = (targets != pad_id).to(costs.dtype)
    of_sentence = (costs * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return of_sentence.mean()

# %% wrong: the mean of nothing mended by nan_to_num
# A NaN among the logits of a real token becomes a loss of 0 too, where NaN is promised.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)

# %% wrong: the logarithm of a softmax, times the mask
# Logits of 1e30 in the padding give a softmax of 0 for pad_id, log 0 is minus infinity, and 0 times that is NaN: padding
# changes the loss. So do 0 and 200 at a real token: inf instead of 200.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    probabilities = torch.softmax(logits, dim=-1)
    of_target = probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)
    real = targets != pad_id
    return -(of_target.log() * real).sum() / real.sum().clamp(min=1)

# %% wrong: the padding class taken out of the softmax
# pad_id is no token, so its logit is set to minus infinity: the softmax then is over V - 1 classes, and every real token
# costs less than it should, the more so the larger the logit of pad_id.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    is_pad = torch.arange(logits.shape[-1], device=logits.device) == pad_id
    log_p = torch.log_softmax(logits.masked_fill(is_pad, float("-inf")), dim=-1)
    real = targets != pad_id
    safe = log_p.masked_fill(~real.unsqueeze(2), 0).masked_fill(is_pad, 0)
    costs = -safe.gather(2, targets.unsqueeze(2)).squeeze(2)
    return costs.sum() / real.sum().clamp(min=1)

# %% correct: a weight for each class, 0 for padding

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    weight = torch.ones(logits.shape[2], dtype=logits.dtype, device=logits.device)
    weight[pad_id] = 0
    log_p = logits.flatten(0, 1).log_softmax(dim=1)
    total = F.nll_loss(log_p, targets.flatten(), weight=weight, reduction="sum")
    return total / weight[targets].sum().clamp(min=1)

# %% correct: logsumexp of how far each class leads the target

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets.ne(pad_id)
    picked = torch.take_along_dim(logits, targets[..., None], dim=-1)
    lead = torch.where(real[..., None], logits - picked, logits.new_zeros(()))  # 0 for the target itself
    costs = lead.logsumexp(dim=-1)
    return torch.tensordot(costs, real.to(costs.dtype), dims=2) / max(int(real.sum()), 1)
