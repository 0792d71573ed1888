# %% wrong: the mean of the sentences' means
# Each sentence gets the same weight instead of each token. Shows where the sentences of a batch differ in length.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    costs = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none").masked_fill(~real, 0.0)
    counts = real.sum(dim=1)
    of_sentences = costs.sum(dim=1) / counts.clamp(min=1)
    return of_sentences.sum() / (counts > 0).sum().clamp(min=1)


# %% wrong: nan turned into 0
# Meant for the batch without a token, where the mean is 0/0. But a NaN among the logits of a real token is hidden,
# too: the loss is 0 then, and must be NaN.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)


# %% wrong: the notebook's constant in place of the argument
# Compares with PAD_ID, which is 0, whatever pad_id says. Shows for pad_id = 3: real tokens 0 are left out, and padding
# counts.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != PAD_ID
    scores, tokens = logits[real], targets[real]
    if len(tokens) == 0:
        return 0.0 * logits.sum()
    return F.cross_entropy(scores, tokens)


# %% wrong: the logarithm of the probabilities, times the mask
# A probability may round to 0: with 1e30 in the padding, -log 0 is infinite, and infinity times 0 is nan. A real token
# that is 200 behind costs infinitely much instead of 200.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).to(logits.dtype)
    probabilities = torch.softmax(logits, dim=-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    costs = -torch.log(probabilities)
    return (costs * real).sum() / real.sum().clamp(min=1)


# %% correct: only the real tokens, found by their places
def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    b, t = (targets != pad_id).nonzero(as_tuple=True)
    scores = logits[b, t]  # (n, V)
    right = logits[b, t, targets[b, t]]  # (n,)
    return (scores.logsumexp(dim=1) - right).sum() / max(len(b), 1)


# %% correct: padding gets flat scores and no weight
def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets.ne(pad_id)
    flat = torch.where(real.unsqueeze(2), logits, torch.zeros_like(logits))
    chosen = torch.log_softmax(flat, dim=2).gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    weights = real.to(logits.dtype) / real.sum().clamp(min=1)
    return -torch.einsum("bt,bt->", chosen, weights)
