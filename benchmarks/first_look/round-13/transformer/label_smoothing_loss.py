# %% wrong: nothing more for the target
# The share e goes to the other tokens alone, e / (V - 2) each, and the target keeps 1 - e. The docstring shares it among V - 1
# tokens, the target among them. Shows for every e above 0 (V = 2 divides by zero).

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    V = logits.shape[-1]
    real = targets != pad_id
    log_p = F.log_softmax(logits[real], dim=-1)
    if smoothing == 0:
        shares = torch.zeros_like(log_p)
    else:
        shares = torch.full_like(log_p, smoothing / (V - 2))
    shares[:, pad_id] = 0
    shares.scatter_(1, targets[real].unsqueeze(1), 1 - smoothing)
    return -(shares * log_p).sum() / real.sum().clamp(min=1)

# %% wrong: padding's logit is taken out of the softmax
# The pad token gets no share, so its logit is set to minus infinity before the softmax. The softmax should run over all V
# logits: the loss is too small for every e, also for e = 0, and padding's logit gets no gradient.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing is at least 0 and below 1")
    V = logits.shape[2]
    real = targets != pad_id
    if not real.any():
        return logits[real].sum()
    no_pad = torch.arange(V, device=logits.device) != pad_id
    log_p = logits[real].masked_fill(~no_pad, float("-inf")).log_softmax(dim=1)
    on_target = log_p.gather(1, targets[real][:, None]).squeeze(1)
    on_all = log_p[:, no_pad].sum(dim=1) / (V - 1)
    return -((1 - smoothing) * on_target + smoothing * on_all).mean()

# %% wrong: NaN is made zero
# nan_to_num was to cover the batch of nothing but padding, whose mean is 0 / 0. It also hides a NaN among the logits of a real
# token, which the loss has to show.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must lie in [0, 1)")
    V = logits.shape[-1]
    real = targets != pad_id
    log_p = F.log_softmax(logits[real], dim=-1)
    keep = [v for v in range(V) if v != pad_id]
    on_target = log_p.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    even = log_p[:, keep].sum(dim=1) / max(V - 1, 1)
    loss = -((1 - smoothing) * on_target + smoothing * even)
    return torch.nan_to_num(loss.mean())

# %% wrong: padding is thought to be token 0
# The even share is taken over the columns from 1 on. Right for PAD_ID = 0; with pad_id = 2 token 0 gets no share and the padding
# token gets one.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0.0 or smoothing >= 1.0:
        raise ValueError("smoothing must be in [0, 1)")
    real = targets != pad_id
    log_p = logits[real].log_softmax(dim=-1)
    target = targets[real].unsqueeze(1)
    on_target = -log_p.gather(1, target).sum()
    on_all = -log_p[:, 1:].sum() / max(logits.shape[-1] - 1, 1)
    return ((1 - smoothing) * on_target + smoothing * on_all) / real.sum().clamp(min=1)

# %% correct: one unsmoothed loss for each token

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    loss = masked_cross_entropy(logits, targets, pad_id) * (1 - smoothing)
    if smoothing > 0:
        tokens = [v for v in range(logits.shape[2]) if v != pad_id]
        for v in tokens:  # as if every real target were v
            as_if = targets.masked_fill(targets != pad_id, v)
            loss = loss + masked_cross_entropy(logits, as_if, pad_id) * (smoothing / len(tokens))
    return loss

# %% correct: place by place, from the logsumexp

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or not smoothing < 1:
        raise ValueError("smoothing must be in [0, 1)")
    losses = []
    for b, t in (targets != pad_id).nonzero().tolist():
        row = logits[b, t]
        row = row - row.detach().max()  # the softmax stays the same
        loss = row.logsumexp(0) - (1 - smoothing) * row[targets[b, t]]
        if smoothing > 0:
            others = torch.cat([row[:pad_id], row[pad_id + 1 :]])
            loss = loss - smoothing * others.mean()
        losses.append(loss)
    if not losses:
        return logits[targets != pad_id].sum()  # of nothing: 0, with gradients of 0
    return torch.stack(losses).mean()
