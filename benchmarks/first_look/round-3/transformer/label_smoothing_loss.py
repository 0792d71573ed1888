# %% wrong: PyTorch's label_smoothing
# F.cross_entropy shares the smoothing among all V tokens, the padding token among them.
# Breaks "shared evenly among the V - 1 tokens other than pad_id". Hint: move the logit of pad_id and see how the loss changes.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    total = F.cross_entropy(logits[real], targets[real], label_smoothing=smoothing, reduction="sum")
    return total / real.sum().clamp(min=1)


# %% wrong: padding counts in the denominator
# The loss of padding places is set to zero, and then the mean is taken over all B * T places.
# Breaks "the mean over the targets that are not pad_id": padding makes the loss smaller. Hint: add a column of padding; the loss should stay.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    log_p = logits.log_softmax(dim=-1)
    share = torch.full_like(log_p, smoothing / (logits.shape[-1] - 1))
    share[..., pad_id] = 0
    share.scatter_add_(2, targets.unsqueeze(2), torch.full_like(log_p[..., :1], 1 - smoothing))
    losses = -(share * log_p).sum(dim=-1)
    return losses.masked_fill(targets == pad_id, 0).mean()


# %% wrong: the target gets no share
# The smoothing is divided among the V - 2 tokens that are neither padding nor the target.
# Breaks "the target among them": the target has 1 - e and not 1 - e + e / (V - 1). Hint: what do the shares sum to, and which is the target's?

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p, target = logits[real].log_softmax(dim=-1), targets[real].unsqueeze(1)
    share = torch.full_like(log_p, smoothing / (logits.shape[-1] - 2))
    share[:, pad_id] = 0
    share.scatter_(1, target, 1 - smoothing)
    return -(share * log_p).sum() / real.sum().clamp(min=1)


# %% wrong: nan where no target is left
# The mean of no places at all is nan.
# Breaks "0 where there is none". Hint: call it with a batch of nothing but padding.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p, target = logits[real].log_softmax(dim=-1), targets[real].unsqueeze(1)
    share = torch.full_like(log_p, smoothing / (logits.shape[-1] - 1))
    share[:, pad_id] = 0
    share.scatter_add_(1, target, torch.full_like(log_p[:, :1], 1 - smoothing))
    return -(share * log_p).sum(dim=1).mean()


# %% correct: logsumexp minus a blend of logits

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must lie in [0, 1), got {smoothing}")
    keep = targets.ne(pad_id)
    rows, wanted = logits[keep], targets[keep]
    blend = (1 - smoothing) * rows.gather(1, wanted[:, None]).squeeze(1)
    if smoothing:
        words = [v for v in range(logits.shape[2]) if v != pad_id]
        blend = blend + smoothing * rows[:, words].mean(dim=1)
    return (rows.logsumexp(dim=1) - blend).sum() / max(1, len(wanted))


# %% correct: two losses, the hard and the even one

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not (smoothing >= 0 and smoothing < 1):
        raise ValueError("smoothing has to be at least 0 and below 1")
    hard = masked_cross_entropy(logits, targets, pad_id)
    if smoothing == 0:
        return hard
    places = torch.nonzero(targets != pad_id)
    even = [
        F.log_softmax(logits[b, t], dim=0)[torch.arange(logits.shape[2], device=logits.device) != pad_id].mean()
        for b, t in places.tolist()
    ]
    if not even:
        return hard
    return (1 - smoothing) * hard - smoothing * torch.stack(even).mean()
