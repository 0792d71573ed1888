# %% wrong: padding token gets a share
# Spread over all V tokens: any smoothing above 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be from 0 to below 1")
    real = targets != pad_id
    if not real.any():
        return torch.where(real[..., None], logits, 0).sum()
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(1, targets[real][:, None])[:, 0]
    words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
    return (-(1 - smoothing) * right - smoothing * log_p.mean(dim=1)).mean()

# %% wrong: the target gets no share
# e spread over the V - 2 others: any smoothing above 0 (V above 2).

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be from 0 to below 1")
    real = targets != pad_id
    if not real.any():
        return torch.where(real[..., None], logits, 0).sum()
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(1, targets[real][:, None])[:, 0]
    words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
    rest = log_p[:, words].sum(dim=1) - right
    return (-(1 - smoothing) * right - smoothing / (logits.shape[-1] - 2) * rest).mean()

# %% wrong: NaN where all is padding
# The mean of nothing is NaN, not 0: targets that are all pad_id.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be from 0 to below 1")
    real = targets != pad_id
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(1, targets[real][:, None])[:, 0]
    words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
    loss = -(1 - smoothing) * right - smoothing / (logits.shape[-1] - 1) * log_p[:, words].sum(dim=1)
    return loss.mean()

# %% wrong: smoothing of 1 let through
# smoothing == 1 raises nothing.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing <= 1:
        raise ValueError("smoothing must be from 0 to below 1")
    real = targets != pad_id
    if not real.any():
        return torch.where(real[..., None], logits, 0).sum()
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(1, targets[real][:, None])[:, 0]
    words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
    loss = -(1 - smoothing) * right - smoothing / (logits.shape[-1] - 1) * log_p[:, words].sum(dim=1)
    return loss.mean()

# %% correct: a matrix of targets

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing {smoothing}")
    size = logits.shape[-1]
    kept = (targets != pad_id).nonzero(as_tuple=True)
    log_p = F.log_softmax(logits[kept], dim=-1)
    share = torch.full_like(log_p, smoothing / max(1, size - 1))
    share[:, pad_id] = 0
    share[torch.arange(len(share), device=share.device), targets[kept]] += 1 - smoothing
    # where the share is 0 nothing is counted, even of a log-probability of minus infinity
    parts = torch.where(share > 0, -share * log_p, torch.zeros_like(log_p))
    broken = torch.where(log_p.isnan(), log_p, torch.zeros_like(log_p))
    return (parts + broken).sum() / max(1, len(share))

# %% correct: logsumexp minus the expected logit

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not (smoothing >= 0 and smoothing < 1):
        raise ValueError("smoothing out of range")
    real = targets.ne(pad_id)
    rows, ids = logits[real], targets[real]
    others = [v for v in range(logits.shape[-1]) if v != pad_id]
    losses = torch.logsumexp(rows, dim=1) - (1 - smoothing) * rows.gather(1, ids.unsqueeze(1)).squeeze(1)
    if smoothing:
        losses = losses - smoothing * rows[:, others].sum(dim=1) / len(others)
    return losses.sum() / max(1, ids.numel())

