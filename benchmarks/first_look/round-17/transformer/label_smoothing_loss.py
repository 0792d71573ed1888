# %% wrong: the divergence in place of the cross-entropy
# F.kl_div also subtracts the entropy of the smoothed targets. A constant, so training is the same, but the loss is too
# small for every smoothing above 0; with 0 it is right.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")

    keep = targets != pad_id
    logp = torch.log_softmax(logits[keep], dim=-1)
    wanted = torch.full_like(logp, smoothing / max(logits.shape[-1] - 1, 1))
    wanted[:, pad_id] = 0
    right = targets[keep].unsqueeze(1)
    wanted.scatter_add_(1, right, torch.full_like(right, 1 - smoothing, dtype=logp.dtype))
    return F.kl_div(logp, wanted, reduction="sum") / max(int(keep.sum()), 1)


# %% wrong: the mean of the sentences' means
# Each sentence counts alike, not each token: shows for two rows with different numbers of real tokens.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")

    keep = targets != pad_id
    logp = torch.log_softmax(logits, dim=-1)
    right = logp.gather(2, targets.unsqueeze(2)).squeeze(2)
    others = logp.sum(dim=2) - logp[:, :, pad_id]
    loss = -(1 - smoothing) * right - smoothing / max(logits.shape[2] - 1, 1) * others
    loss = torch.where(keep, loss, torch.zeros_like(loss))
    real = keep.sum(dim=1)
    of_sentences = loss.sum(dim=1) / real.clamp(min=1)
    return of_sentences.sum() / (real > 0).sum().clamp(min=1)


# %% wrong: zero times the padding word's logarithm
# The padding token is in the sum with a share of 0. Where a model gives it the logit -inf, so that it is never written,
# 0 * -inf is NaN; without that token in the sum the loss is finite.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")

    keep = targets != pad_id
    logits, right = logits[keep], targets[keep]
    words = logits.shape[-1]
    shares = torch.full((words,), smoothing / max(words - 1, 1), dtype=logits.dtype, device=logits.device)
    shares[pad_id] = 0
    wanted = shares + (1 - smoothing) * F.one_hot(right, words)
    loss = -(wanted * torch.log_softmax(logits, dim=-1)).sum(dim=-1)
    return loss.sum() / max(len(right), 1)


# %% wrong: a fresh zero where all is padding
# The zero does not come from the logits, so backward raises an error where every target is padding.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")

    keep = targets != pad_id
    if not keep.any():
        return torch.tensor(0.0, dtype=logits.dtype, device=logits.device)
    logp = torch.log_softmax(logits[keep], dim=-1)
    right = logp.gather(1, targets[keep].unsqueeze(1)).squeeze(1)
    words = [word for word in range(logits.shape[-1]) if word != pad_id]
    loss = -(1 - smoothing) * right
    if smoothing > 0:
        loss = loss - smoothing * logp[:, words].mean(dim=1)
    return loss.mean()


# %% correct: the normalizer minus two kinds of logits

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")

    keep = targets != pad_id
    scores, right = logits[keep], targets[keep]  # (N, V), (N,)
    scores = scores - scores.detach().amax(dim=1, keepdim=True) if len(right) else scores
    normalizer = torch.logsumexp(scores, dim=1)
    loss = (1 - smoothing) * (normalizer - scores[torch.arange(len(right), device=right.device), right])
    if smoothing:
        words = torch.cat([scores[:, :pad_id], scores[:, pad_id + 1 :]], dim=1)
        if words.shape[1]:
            loss = loss + smoothing * (normalizer - words.mean(dim=1))
    return loss.sum() / max(len(right), 1)


# %% correct: place by place in a loop

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:

    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    words = [word for word in range(logits.shape[2]) if word != pad_id]
    total, count = logits[:0].sum(), 0
    for b, row in enumerate(targets.tolist()):
        for t, target in enumerate(row):
            if target == pad_id:
                continue
            surprise = -torch.log_softmax(logits[b, t], dim=0)
            total = total + (1 - smoothing) * surprise[target]
            if smoothing > 0:
                total = total + smoothing * surprise[words].mean()
            count += 1
    return total / count if count else total
