# %% wrong: nan replaced by zero afterwards
# nan_to_num makes the empty batch 0, but it hides a NaN among the logits of real tokens as well, and the gradients of the empty batch stay NaN.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)


# %% wrong: vocabulary axis brought forward by reshape
# cross_entropy wants (B, V, T); reshape gives that shape without exchanging the axes, so that scores of different places are mixed.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    batch, length, vocab = logits.shape
    costs = F.cross_entropy(logits.reshape(batch, vocab, length), targets, ignore_index=pad_id, reduction="none")
    real = targets != pad_id
    return costs[real].sum() / real.sum().clamp(min=1)


# %% wrong: real tokens are those above the padding id
# targets > pad_id is right while the padding id is 0; with another pad_id all tokens with smaller ids are left out.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets > pad_id
    log_p = logits.log_softmax(dim=-1)
    costs = -log_p[real].gather(1, targets[real].unsqueeze(1)).squeeze(1)
    return costs.sum() / max(int(real.sum()), 1)


# %% wrong: a fresh zero where nothing is left
# For a batch of padding a new tensor is returned that hangs on nothing: backward raises an error instead of giving zero gradients.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).flatten()
    if not real.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits.flatten(0, 1)[real], targets.flatten()[real])


# %% wrong: a small number inside the logarithm
# log(softmax + 1e-9) to be safe: no cost can exceed about 20.7, and where the probability underflows there is no gradient left.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    p = torch.softmax(logits, dim=2)
    mask = (targets != pad_id).float()
    safe = targets * (targets != pad_id)
    p_right = p.gather(2, safe.unsqueeze(2)).squeeze(2)
    costs = -torch.log(p_right + 1e-9) * mask
    return costs.sum() / mask.sum().clamp(min=1.0)


# %% correct: selected places, logsumexp minus the score

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    keep = torch.nonzero(targets != pad_id, as_tuple=True)
    scores, answers = logits[keep], targets[keep]  # (N, V) and (N,)
    right = scores[torch.arange(len(answers), device=answers.device), answers]
    return (scores.logsumexp(dim=1) - right).sum() / max(len(answers), 1)


# %% correct: row by row, a running sum and count

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean of -log softmax(logits)[target] over the real tokens of the whole batch, a scalar.

    logits (B, T, V), targets (B, T); a target equal to pad_id is no token and counts nowhere,
    so neither added padding nor a row of nothing but padding changes the loss. Where no token
    is left the loss is 0, with zero gradients. A NaN among the logits of a real token is not
    hidden: the loss is NaN then.
    Raises ValueError where logits is not (B, T, V) for targets (B, T).
    """
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total, count = logits[:0].sum(), 0  # a zero that hangs on the logits
    for row_scores, row_targets in zip(logits, targets, strict=True):
        real = row_targets.ne(pad_id)
        total = total + F.cross_entropy(row_scores[real], row_targets[real], reduction="sum")
        count += int(real.sum())
    return total / count if count else total
