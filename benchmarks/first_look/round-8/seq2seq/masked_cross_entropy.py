# %% wrong: a mean of the sentences' means
# Each sentence counts the same, and not each token; a row of nothing but padding lowers the mean as well.
# Shows where the sentences differ in length.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")  # (B, T)
    real = (targets != pad_id).sum(dim=1).clamp(min=1)
    return (costs.sum(dim=1) / real).mean()


# %% wrong: the padding is multiplied away
# Zero times NaN is NaN: where the logits of a padded place are NaN or infinite, loss and gradient are too.
# It also raises for a pad_id outside the vocabulary such as -100, since gather looks it up.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    mask = (targets != pad_id).to(logits.dtype)
    costs = -torch.log_softmax(logits, dim=-1).gather(2, targets.unsqueeze(2)).squeeze(2)
    return (costs * mask).sum() / mask.sum().clamp(min=1)


# %% wrong: the logarithm of a softmax plus a small number
# 1e-9 keeps the logarithm finite and caps a token's cost at 20.7, with no gradient left beyond it.
# Shows for a target whose logit lies 30 or more below the largest.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    probabilities = torch.softmax(logits[real], dim=-1)
    chosen = probabilities.gather(1, targets[real].unsqueeze(1))
    return -torch.log(chosen + 1e-9).sum() / real.sum().clamp(min=1)


# %% wrong: a fresh zero where no token is left
# torch.tensor(0.0) has no gradient, so backward raises in place of giving zeros; for float64 it is float32.
# Shows for a batch of nothing but padding.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits[real], targets[real])


# %% correct: a categorical distribution over the tokens that are kept

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    places = targets.ne(pad_id).nonzero(as_tuple=True)
    kept = torch.distributions.Categorical(logits=logits[places], validate_args=False)
    return kept.log_prob(targets[places]).sum() / -max(places[0].numel(), 1)


# %% correct: sentence by sentence, the largest logit taken off by hand

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total, count = logits[:, :0].sum(), 0
    for row, wanted in zip(logits, targets, strict=True):
        keep = (wanted != pad_id).nonzero().flatten()
        if len(keep) == 0:
            continue
        row, wanted = row.index_select(0, keep), wanted.index_select(0, keep)
        row = row - row.detach().amax(dim=1, keepdim=True)
        total = total + row.exp().sum(dim=1).log().sum() - torch.take_along_dim(row, wanted.long()[:, None], 1).sum()
        count += len(keep)
    return total / max(count, 1)
