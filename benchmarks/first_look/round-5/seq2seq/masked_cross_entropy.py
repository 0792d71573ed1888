# %% wrong: every nan is turned into zero
# nan_to_num mends 0/0 for a batch of nothing but padding, and hides a nan among the logits of a real token as well.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)


# %% wrong: the constant of the notebook in place of the argument
# The mask compares with PAD_ID from the imports; for any other pad_id the padding counts and token 0 does not.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != PAD_ID
    costs = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=PAD_ID, reduction="none")
    return costs.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)


# %% wrong: a small number inside the logarithm
# log(p + 1e-9) caps the cost of a token at about 21: a very unlikely token costs too little and has next to no gradient.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    probabilities = torch.softmax(logits[real], dim=-1)
    picked = probabilities[torch.arange(len(probabilities), device=logits.device), targets[real]]
    return -torch.log(picked + 1e-9).sum() / real.sum().clamp(min=1)


# %% wrong: padding left out of the softmax too
# Since padding is never an answer its logit is set to minus infinity: the other tokens share its probability, and cost too little.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    allowed = torch.arange(logits.shape[2], device=logits.device) != pad_id
    chosen = logits[real].masked_fill(~allowed, float("-inf"))
    return F.cross_entropy(chosen, targets[real], reduction="sum") / real.sum().clamp(min=1)


# %% wrong: a fresh zero for nothing but padding
# The zero is a new leaf: backward runs, but nothing reaches the logits, whose gradient stays None in place of zeros.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.zeros((), dtype=logits.dtype, device=logits.device, requires_grad=True)
    return F.cross_entropy(logits[real], targets[real])


# %% correct: only the real rows, by log-softmax and gather

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets.ne(pad_id)
    kept, words = logits[real], targets[real]  # (N, V), (N,)
    log_probabilities = torch.log_softmax(kept, dim=1)
    costs = -log_probabilities.gather(1, words.unsqueeze(1))
    return costs.sum() / max(len(words), 1)


# %% correct: padding made harmless first, then a manual log-sum-exp

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    is_word = targets != pad_id
    harmless = torch.where(is_word.unsqueeze(2), logits, torch.zeros((), dtype=logits.dtype, device=logits.device))
    word = targets * is_word  # 0 at padding, a class that always exists
    shifted = harmless - harmless.detach().max(dim=2, keepdim=True).values
    cost = shifted.exp().sum(dim=2).log() - torch.take_along_dim(shifted, word.unsqueeze(2), dim=2).squeeze(2)
    total = torch.where(is_word, cost, torch.zeros_like(cost)).sum()
    count = int(is_word.sum())
    return total / count if count else total
