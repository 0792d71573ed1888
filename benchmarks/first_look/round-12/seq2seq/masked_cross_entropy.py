# %% wrong: the mean over nothing turned into a zero
# nan_to_num mends 0/0 in a batch of nothing but padding, and hides every other NaN with it.
# Shows where a real token has a NaN among its logits: the loss is 0 and not NaN.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    mean = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(mean)

# %% wrong: each sentence counts the same
# A mean for each sentence, and the mean of these: tokens of short sentences count more than those of long ones.
# Shows where the sentences have different lengths, and for a row of nothing but padding, which lowers the loss.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")  # (B, T)
    lengths = (targets != pad_id).sum(dim=1).clamp(min=1)
    return (costs.sum(dim=1) / lengths).mean()

# %% wrong: padding is taken for the smallest id
# Real tokens are those above pad_id, as if pad_id were 0: real tokens with smaller ids count nowhere.
# Shows for pad_id = 3 and targets that hold 1 or 2.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets > pad_id
    costs = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)
    return costs.where(real, 0.0).sum() / real.sum().clamp(min=1)

# %% wrong: a logarithm of the softmax, times the mask
# Where a probability rounds to 0 its logarithm is minus infinity, and times a mask of 0 that is NaN.
# Shows where a target lies 200 below the largest logit of its row: NaN if it is padding, infinity if it is a real token.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    probabilities = torch.softmax(logits, dim=2)
    right = probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)
    real = (targets != pad_id).to(logits.dtype)
    return -(right.log() * real).sum() / real.sum().clamp(min=1)

# %% correct: only the real tokens are picked out

# The rows of real tokens alone, possibly none; an empty sum is a 0 that still hangs on the logits.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    rows, tokens = logits[real], targets[real]  # (N, V), (N,)
    costs = -torch.log_softmax(rows, dim=1).gather(1, tokens[:, None])[:, 0]
    return costs.sum() / max(len(tokens), 1)

# %% correct: one True for each real token

# A table over the classes marks the right class of every real token; the log-probabilities there are added up.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    classes = torch.arange(logits.shape[2], device=logits.device)
    hit = (classes == targets.unsqueeze(2)) & (classes != pad_id)  # (B, T, V): at most one True a token
    chances = torch.log_softmax(logits, dim=-1)
    total = torch.where(hit, chances, torch.zeros_like(chances)).sum()
    return -total / hit.sum().clamp(min=1)
