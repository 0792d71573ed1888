# %% wrong: every NaN to zero
# Heals the 0/0 of a batch of padding with nan_to_num, and so hides every other NaN too. Shows where a logit of a real
# token is NaN: the loss is 0 instead of NaN.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return loss.nan_to_num(0.0)


# %% wrong: real tokens are those above pad_id
# Takes padding for the smallest id. Shows for a pad_id in the middle or at the end of the vocabulary: ids below it are
# left out, and with pad_id = V - 1 every loss is 0.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets > pad_id
    costs = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return torch.where(real, costs, 0.0).sum() / real.sum().clamp(min=1)


# %% wrong: the model may not write padding
# Sets the padding's own logit to minus infinity before the softmax. So the probability is shared out among V - 1
# tokens, and every cost is too low. Shows for any real token, most where the padding's logit is high.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    is_pad_column = torch.arange(logits.shape[2], device=logits.device) == pad_id
    log_p = F.log_softmax(logits.masked_fill(is_pad_column, float("-inf")), dim=2)
    costs = -log_p.gather(2, targets.unsqueeze(2)).squeeze(2)
    return torch.where(real, costs, 0.0).sum() / real.sum().clamp(min=1)


# %% wrong: the mean of the sentences' means
# Takes each sentence's mean first and then the mean over the sentences, so a token of a short sentence counts more.
# Shows for rows of different lengths, and a row of padding lowers the loss.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).to(logits.dtype)
    costs = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    by_sentence = (costs * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return by_sentence.mean()


# %% correct: padding is a class of weight zero

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    weight = torch.ones(logits.shape[2], dtype=logits.dtype, device=logits.device)
    weight[pad_id] = 0
    total = F.cross_entropy(logits.movedim(2, 1), targets, weight=weight, reduction="sum")
    return total / max(1, int((targets != pad_id).sum()))


# %% correct: log-sum-exp of the distances from the right logit

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    quiet = torch.where(real.unsqueeze(2), logits, torch.zeros_like(logits))  # padding: all logits 0
    distances = quiet - quiet.take_along_dim(targets.unsqueeze(2), dim=2)
    costs = torch.logsumexp(distances, dim=2)
    share = real.to(logits.dtype) / real.sum().clamp(min=1)
    return torch.dot(costs.flatten(), share.flatten())
