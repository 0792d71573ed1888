# %% wrong: NaN swept under the carpet
# ignore_index does the mean over real tokens, and nan_to_num turns the 0/0 of an empty batch into 0, and with it every true NaN of the model. A good message: "a NaN among a real token's logits comes back as 0: ask whether a token is left, not whether the loss is NaN".

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss)

# %% wrong: a zero that has no gradient
# Where no token is left a fresh torch.tensor(0.0) comes back: it is 0, but backward() on it raises an error, since it hangs on nothing (and it is on the CPU, in float32). A good message: "the loss of an empty batch must have zero gradients: backward() fails on it".

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits[real], targets[real])

# %% wrong: mean of the sentences' means
# Each row's mean over its real tokens, then the mean over rows: words of short sentences count more, and a row of nothing but padding pulls the loss down with a 0. A good message: "a row of padding changes the loss: one sum over all real tokens, divided once".

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).to(logits.dtype)
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=pad_id)
    rows = (losses * real).sum(1) / real.sum(1).clamp(min=1)
    return rows.mean()

# %% wrong: padding weighed with zero
# The padding's losses are multiplied by 0 in place of being left out: an infinite or NaN logit at padding makes 0 * NaN = NaN, and a pad_id outside the vocabulary (-1, -100) breaks gather. A good message: "what stands in the logits at padding must not matter: 0 times NaN is NaN".

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).to(logits.dtype)
    picked = logits.log_softmax(dim=2).gather(2, targets.unsqueeze(2)).squeeze(2)
    return -(picked * real).sum() / real.sum().clamp(min=1)

# %% correct: picks the real tokens, logsumexp minus the right logit

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    where = torch.nonzero(targets - pad_id, as_tuple=True)
    scores, words = logits[where], targets[where]
    right = scores.take_along_dim(words[:, None], dim=1).squeeze(1)
    return (torch.logsumexp(scores, dim=1) - right).sum() / max(1, words.numel())

# %% correct: row by row with a running sum

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if targets.ndim != 2 or logits.ndim != 3 or tuple(logits.shape[:-1]) != tuple(targets.shape):
        raise ValueError(f"logits {list(logits.shape)} do not go with targets {list(targets.shape)}")
    total, count = logits[:0].sum(), 0
    for row, words in zip(logits, targets, strict=True):
        keep = words.ne(pad_id)
        total = total + nn.functional.cross_entropy(row[keep], words[keep], reduction="sum")
        count += int(keep.sum())
    return total / (count or 1)
