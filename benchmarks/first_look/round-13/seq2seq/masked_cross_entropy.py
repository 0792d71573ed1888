# %% wrong: a mean for each sentence first
# The mean of the rows' means: short sentences count as much as long ones, and an added row of padding lowers the
# loss. Shows for rows of different lengths.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    cost = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")  # (B, T)
    count = (targets != pad_id).sum(dim=1).clamp(min=1)
    return (cost.sum(dim=1) / count).mean()


# %% wrong: nan made 0
# The nan of a batch without tokens is turned into 0, and so is the nan of a real token: one NaN among its logits
# gives the loss 0, where NaN is promised.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss)


# %% wrong: the logarithm of a softmax, times a mask
# A target far below the largest logit has probability 0, its logarithm is -inf, and -inf * 0 is nan: with 1e30
# beside the target in the padding the whole loss is nan.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).to(logits.dtype)
    right = logits.softmax(dim=-1).gather(2, targets.unsqueeze(2)).squeeze(2)
    cost = -right.log() * real
    return cost.sum() / real.sum().clamp(min=1)


# %% wrong: a fresh zero for a batch of padding
# The zero is a constant without a record: backward runs, but no gradient of zeros reaches the logits. Shows where
# every target is pad_id.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.zeros((), dtype=logits.dtype, device=logits.device, requires_grad=True)
    return F.cross_entropy(logits[real], targets[real])


# %% correct: the normalizer word by word

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    padding = targets == pad_id
    clean = logits.masked_fill(padding.unsqueeze(2), 0.0)
    first, *others = clean.unbind(dim=2)
    normalizer = first
    for scores in others:
        normalizer = torch.logaddexp(normalizer, scores)
    cost = normalizer - clean.gather(2, targets.unsqueeze(2)).squeeze(2)
    cost = cost.masked_fill(padding, 0.0)
    return cost.sum() / max(1, int((~padding).sum()))


# %% correct: the rows of the real tokens alone

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    words = targets.reshape(-1)
    places = torch.nonzero(words != pad_id).squeeze(1)
    rows = logits.reshape(-1, logits.shape[2]).index_select(0, places)
    picked = F.log_softmax(rows, dim=1)[torch.arange(len(places), device=rows.device), words[places]]
    share = 1 / max(len(places), 1)
    return -(picked * share).sum()
