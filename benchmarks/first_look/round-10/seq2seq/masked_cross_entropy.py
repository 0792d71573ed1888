# %% wrong: the mean of the sentences' means
# Each sentence's mean cost is taken first and then the mean over sentences: a token of a short sentence counts for more.
# The mean over the tokens of the whole batch is asked. Shows where the sentences have unequal lengths.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    costs = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none").masked_fill(~real, 0)
    counts = real.sum(dim=1)
    of_sentences = costs.sum(dim=1) / counts.clamp(min=1)
    return of_sentences.sum() / (counts > 0).sum().clamp(min=1)


# %% wrong: a zero without a graph
# Where no token is left a fresh 0 comes back that hangs on nothing: backward() raises, where zero gradients are promised.
# Shows for a batch of nothing but padding.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return logits.new_zeros(())
    return F.cross_entropy(logits[real], targets[real])


# %% wrong: nan_to_num against 0/0
# The mean of nothing is NaN and is made 0 at the end; so is the NaN of a model that has broken down.
# A NaN among the logits of a real token must not be hidden: the loss is 0 there.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    return (loss / (targets != pad_id).sum().clamp(min=1)).nan_to_num()


# %% wrong: shifted by the largest logit of the whole batch
# One maximum for all rows: a token whose logits lie more than some 100 below it has exp = 0 everywhere, and log 0.
# Shows where large logits stand, such as 1e30 at padding, which must count nowhere: the loss is infinite.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    shifted = logits - logits.max().detach()  # so that exp does not overflow
    log_sum = shifted.exp().sum(dim=2).log()
    costs = log_sum - shifted.gather(2, targets.unsqueeze(2)).squeeze(2)
    real = targets != pad_id
    return costs[real].sum() / real.sum().clamp(min=1)


# %% correct: the real tokens picked out, logsumexp less the target's logit

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    where = (targets != pad_id).nonzero(as_tuple=True)
    tokens = targets[where]  # (N,)
    scores = logits[where]  # (N, V)
    costs = scores.logsumexp(dim=1) - scores.take_along_dim(tokens[:, None], dim=1)[:, 0]
    return costs.sum() / max(len(tokens), 1)


# %% correct: log of the sum of the exponentials of the margins

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).unsqueeze(2)
    safe = torch.where(real, logits, torch.zeros_like(logits))
    margins = safe - safe.gather(2, targets.unsqueeze(2))  # how far each word lies above the right one
    highest = margins.amax(dim=2, keepdim=True).detach()
    costs = highest + (margins - highest).exp().sum(dim=2, keepdim=True).log()
    share = real.to(logits.dtype) / real.sum().clamp(min=1)
    return torch.where(real, costs * share, torch.zeros_like(costs)).sum()
