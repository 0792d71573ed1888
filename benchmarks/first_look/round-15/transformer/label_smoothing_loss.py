# %% wrong: shared among the other words only
# e is shared among the tokens other than the target, which keeps just 1 - e. The docstring shares it among all V - 1 tokens other than pad_id, the target among them: wrong for every
# smoothing above 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    if not real.any():
        return logits[real].sum()
    log_p, wanted = F.log_softmax(logits[real], dim=-1), targets[real]
    right = log_p.gather(1, wanted.unsqueeze(1)).squeeze(1)
    if smoothing == 0:
        return -right.mean()
    words = [v for v in range(logits.shape[-1]) if v != pad_id]
    others = log_p[:, words].sum(dim=1) - right
    share = smoothing / max(logits.shape[-1] - 2, 1)
    return -((1 - smoothing) * right + share * others).mean()

# %% wrong: padding is taken to be token 0
# The first column is left out of the shares, whatever pad_id is. With another pad_id token 0 gets no share and the padding token one.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must lie in [0, 1)")
    real = targets != pad_id
    log_p = F.log_softmax(logits[real], dim=1)
    loss = -log_p.gather(1, targets[real].unsqueeze(1)).sum()
    if smoothing > 0:
        smooth = -log_p[:, 1:].mean(dim=1).sum() if real.any() else loss
        loss = (1 - smoothing) * loss + smoothing * smooth
    return loss / real.sum().clamp_min(1)

# %% wrong: a mean over sentences of means over words
# Every sentence counts alike, the short ones as much as the long. The mean should run over all targets that are not padding: shows where the sentences of a batch differ in
# length.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0.0 <= smoothing < 1.0:
        raise ValueError("smoothing out of range")
    of_sentences = []
    for row, wanted in zip(logits, targets, strict=True):
        real = wanted != pad_id
        if not real.any():
            continue
        log_p = F.log_softmax(row[real], dim=-1)
        right = -log_p.gather(1, wanted[real].unsqueeze(1)).squeeze(1)
        if smoothing > 0:
            keep = torch.arange(row.shape[-1], device=row.device) != pad_id
            right = (1 - smoothing) * right - smoothing * log_p[:, keep].mean(dim=1)
        of_sentences.append(right.mean())
    if not of_sentences:
        return logits[targets != pad_id].sum()
    return torch.stack(of_sentences).mean()

# %% wrong: every NaN is swept away
# nan_to_num is meant for what stands at padded places, but it runs over the logits as a whole: a NaN at a real token becomes a zero and does not show in the
# loss.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    real = targets != pad_id
    log_p = F.log_softmax(torch.nan_to_num(logits, nan=0.0), dim=-1)
    losses = -log_p.gather(2, targets.unsqueeze(2)).squeeze(2)
    if smoothing > 0:
        words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
        losses = (1 - smoothing) * losses - smoothing * log_p[..., words].mean(dim=-1)
    return torch.where(real, losses, torch.zeros_like(losses)).sum() / real.sum().clamp_min(1)

# %% correct: the log of the sum, less the smoothed logit

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing from 0 to below 1, not {smoothing}")
    real = targets != pad_id
    rows, wanted = logits[real], targets[real]  # (N, V), (N,)
    if len(rows) == 0:
        return rows.sum()
    # the shares sum to one, so the loss is the log-sum minus the mean logit under them
    expected = (1 - smoothing) * rows[torch.arange(len(rows), device=rows.device), wanted]
    if smoothing:
        words = torch.cat([rows[:, :pad_id], rows[:, pad_id + 1 :]], dim=1)
        expected = expected + smoothing * words.mean(dim=1)
    return (rows.logsumexp(dim=1) - expected).mean()

# %% correct: place by place, over the tokens that have a share

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or not smoothing < 1:
        raise ValueError("smoothing must not be negative, and must be below 1")
    words = [v for v in range(logits.shape[-1]) if v != pad_id]
    total, count = logits[targets == pad_id][:0].sum(), 0
    for place, wanted in zip(logits.flatten(0, 1), targets.flatten().tolist(), strict=True):
        if wanted == pad_id:
            continue
        count += 1
        log_p = torch.log_softmax(place, dim=0)
        total = total - (1 - smoothing) * log_p[wanted]
        if smoothing > 0:  # 0 times minus infinity would be NaN
            total = total - smoothing / len(words) * log_p[words].sum()
    return total / max(count, 1)
