# %% wrong: a mean of the sentences' means
# Each sentence counts the same, however many tokens it has; a token of a short sentence weighs more than one of a long
# one, and a row of nothing but padding lowers the loss.
# Hint: take two sentences, of one token and of nine; with which weight does the one token enter the mean over tokens?

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")  # (B, T)
    counts = (targets != pad_id).sum(dim=1)
    return (costs.sum(dim=1) / counts.clamp(min=1)).mean()


# %% wrong: every nan becomes zero
# It mends 0/0 with nan_to_num, and with it hides a NaN that comes from the logits of a real token: the loss is 0 then.
# Hint: which number in your fraction is the trouble, and can it be kept from being zero before you divide?

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)


# %% wrong: the vocabulary is brought forward by a reshape
# F.cross_entropy wants (B, V, T), and reshape gives that shape, but with the scores of different places and words mixed.
# Hint: compare logits.reshape(B, V, T)[0, :, 0] with logits[0, 0]; which of the axes has been exchanged?

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    B, T, V = logits.shape
    total = F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad_id, reduction="sum")
    return total / (targets != pad_id).sum().clamp(min=1)


# %% wrong: an early return of a constant for empty batches
# A fresh tensor with 0 hangs on no logits: backward() fails on it, where the docstring promises zero gradients.
# Hint: call backward() on the loss of a batch of nothing but padding.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits[real], targets[real])


# %% wrong: padding taken to be id zero
# It masks by comparing with 0 and never looks at pad_id: right for this chapter's vocabularies, wrong for any other.
# Hint: search your function for the name pad_id.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    mask = targets > 0
    log_probabilities = F.log_softmax(logits, dim=-1)
    costs = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)
    return costs[mask].sum() / mask.sum().clamp(min=1)


# %% correct: only the real tokens' logits, and the sum over a count of at least one

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    rows, places = torch.nonzero(targets != pad_id, as_tuple=True)
    scores, words = logits[rows, places], targets[rows, places]  # (N, V), (N,)
    log_probabilities = torch.log_softmax(scores, dim=1)
    surprise = -log_probabilities[torch.arange(len(words), device=words.device), words]
    return surprise.sum() / max(len(words), 1)


# %% correct: padding filled with harmless values before anything is computed

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.dim() != 3:
        raise ValueError(f"logits must be (B, T, V), got {tuple(logits.shape)}")
    if tuple(logits.shape[:2]) != tuple(targets.shape):
        raise ValueError(f"logits {tuple(logits.shape)} do not belong to targets {tuple(targets.shape)}")
    is_padding = targets.eq(pad_id)
    quiet_logits = logits.masked_fill(is_padding.unsqueeze(-1), 0.0)
    quiet_targets = targets.masked_fill(is_padding, 0)
    costs = F.nll_loss(
        F.log_softmax(quiet_logits, dim=2).transpose(1, 2), quiet_targets, reduction="none", ignore_index=-1
    )  # (B, T), with a finite cost at padding
    costs = costs.masked_fill(is_padding, 0.0)
    return costs.sum() / (~is_padding).sum().clamp(min=1)
