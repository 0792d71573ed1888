# %% wrong: the target gets no share
# e is spread over the other V - 2 tokens, so that the target has exactly 1 - e. The docstring's V - 1 tokens have the target among them: every loss with
# e > 0 is off, and with two tokens beside each other (V = 2) the share is e / 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    if not real.any():
        return logits[real].sum()
    log_p, right = torch.log_softmax(logits[real], dim=1), targets[real]
    if smoothing == 0:
        return F.nll_loss(log_p, right)
    share = torch.full_like(log_p, smoothing / (log_p.shape[1] - 2))
    share[:, pad_id] = 0.0
    share.scatter_(1, right.unsqueeze(1), 1 - smoothing)
    return -(share * log_p).sum(dim=1).mean()


# %% wrong: padding is taken out of the softmax
# The padding token's column is removed before log_softmax, so that the probabilities of the others are too high and its logit gets no gradient. The
# softmax should run over all V logits.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be in [0, 1)")
    real = targets != pad_id
    chosen, right = logits[real], targets[real]
    words = [i for i in range(logits.shape[-1]) if i != pad_id]
    log_p = torch.log_softmax(chosen[:, words], dim=1)
    place = right - (right > pad_id).long()
    on_target = -log_p.gather(1, place.unsqueeze(1)).squeeze(1)
    losses = on_target
    if smoothing > 0:
        losses = (1 - smoothing) * on_target - smoothing * log_p.mean(dim=1)
    return losses.sum() / max(len(losses), 1)


# %% wrong: a zero without a history
# Where every target is padding a new tensor of 0 comes back. It does not hang on the logits: backward() raises an error, where the gradients should be 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    real = targets != pad_id
    if real.sum() == 0:
        return torch.tensor(0.0, dtype=logits.dtype, device=logits.device)
    z, right = logits[real], targets[real]
    losses = F.cross_entropy(z, right, reduction="none")
    if smoothing > 0:
        keep = torch.arange(z.shape[1], device=z.device) != pad_id
        spread = -torch.log_softmax(z, dim=1)[:, keep].mean(dim=1)
        losses = (1 - smoothing) * losses + smoothing * spread
    return losses.mean()


# %% wrong: the loss at padding is multiplied by zero
# NaN or infinity in the logits of a padded place stays NaN when multiplied by 0: it reaches the loss, and every gradient.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing is {smoothing}")
    log_p = F.log_softmax(logits, dim=2)
    losses = -log_p.gather(2, targets.unsqueeze(2)).squeeze(2)
    if smoothing:
        words = torch.arange(logits.shape[2], device=logits.device) != pad_id
        losses = (1 - smoothing) * losses - smoothing * log_p[..., words].mean(dim=2)
    real = (targets != pad_id).to(logits.dtype)
    return (losses * real).sum() / real.sum().clamp(min=1)


# %% correct: place by place

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
    V = logits.shape[2]
    total, count = logits[:0].sum(), 0  # a zero that hangs on the logits
    for scores, target in zip(logits.flatten(0, 1).unbind(), targets.flatten().tolist(), strict=True):
        if target == pad_id:
            continue
        surprise = torch.logsumexp(scores, dim=0) - scores
        loss = (1 - smoothing) * surprise[target]
        if smoothing:
            words = [v for v in range(V) if v != pad_id]
            loss = loss + smoothing / len(words) * surprise[words].sum()
        total, count = total + loss, count + 1
    return total / max(count, 1)


# %% correct: only the entries that have a share

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"no share of {smoothing}")
    places = (targets != pad_id).nonzero(as_tuple=True)
    z, right = logits[places], targets[places]  # (N, V), (N,)
    rows = torch.arange(len(right), device=logits.device)
    top = z.logsumexp(dim=1)
    of_target = (top - z[rows, right]).sum()
    loss = (1 - smoothing) * of_target
    if smoothing > 0:
        words = torch.arange(z.shape[1], device=z.device)
        words = words[words != pad_id]
        of_words = (top[:, None] - z.index_select(1, words)).sum()
        loss = loss + of_words * (smoothing / max(len(words), 1))
    return loss / max(len(right), 1)
