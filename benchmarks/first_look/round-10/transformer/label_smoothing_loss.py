# %% wrong: PyTorch's label smoothing
# F.cross_entropy shares e among all V tokens, pad_id included; the docstring shares it among the V - 1 others. Shows for e > 0;
# and where all targets are padding it gives NaN in place of 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


# %% wrong: pad_id is taken out of the softmax
# So that padding gets no share its logit is set to -inf, but then log softmax is over V - 1 tokens and not softmax(logits):
# too small for every e, and with e = 0 it is not masked_cross_entropy. Shows most where pad_id's logit is large.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be in [0, 1)")
    real = targets != pad_id
    logits, targets = logits[real], targets[real]
    words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
    log_probs = logits.masked_fill(~words, float("-inf")).log_softmax(dim=-1)
    of_target = -log_probs.gather(1, targets.unsqueeze(1)).squeeze(1)
    of_all = -log_probs[:, words].sum(dim=1) / max(logits.shape[-1] - 1, 1)
    if smoothing == 0:
        return of_target.sum() / max(len(targets), 1)
    return ((1 - smoothing) * of_target + smoothing * of_all).sum() / max(len(targets), 1)


# %% wrong: smoothing 1 is let through
# Refuses what is outside 0 to 1, but 1 itself must raise a ValueError too ("1 and above"). Shows for smoothing = 1.0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing <= 1:
        raise ValueError("smoothing must lie between 0 and 1")
    real = targets != pad_id
    log_probs = logits[real].log_softmax(dim=-1)
    of_target = -log_probs.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    loss = (1 - smoothing) * of_target
    if smoothing > 0:
        words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
        loss = loss - smoothing * log_probs[:, words].mean(dim=1)
    return loss.sum() / real.sum().clamp(min=1)


# %% wrong: padding is the first token
# The share goes to log_probs[:, 1:], as if pad_id were 0 as in this course's vocabularies. Shows for e > 0 with any other pad_id.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    real = targets != pad_id
    log_probs = logits[real].log_softmax(dim=-1)
    loss = -(1 - smoothing) * log_probs.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    if smoothing > 0:
        loss = loss - smoothing * log_probs[:, 1:].mean(dim=1)
    return loss.sum() / real.sum().clamp(min=1)


# %% correct: logits alone, the normaliser once
# The shares add up to one, so a place's loss is logsumexp minus the shares' mean of the logits.
def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be in [0, 1), and it is {smoothing}")
    places = (targets != pad_id).nonzero(as_tuple=True)
    picked = logits[places]
    picked = picked - picked.detach().amax(dim=1, keepdim=True)
    loss = picked.logsumexp(dim=1) - (1 - smoothing) * picked[torch.arange(len(picked), device=picked.device), targets[places]]
    if smoothing > 0:
        others = [token for token in range(logits.shape[-1]) if token != pad_id]
        loss = loss - smoothing * picked[:, others].mean(dim=1)
    return loss.sum() / max(len(picked), 1)


# %% correct: place by place, the weighted tokens only

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing {smoothing} is not in [0, 1)")
    vocab_size = logits.shape[-1]
    total, places = logits[:0].sum(), 0
    for row, target in zip(logits.reshape(-1, vocab_size), targets.reshape(-1).tolist(), strict=True):
        if target == pad_id:
            continue
        places += 1
        log_probs = torch.log_softmax(row, dim=0)
        for token in range(vocab_size):
            share = (smoothing / (vocab_size - 1) if token != pad_id else 0.0) + (1 - smoothing) * (token == target)
            if share > 0:
                total = total - share * log_probs[token]
    return total / max(places, 1)
