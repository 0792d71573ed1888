# %% wrong: PyTorch's label_smoothing shares it among all V
# F.cross_entropy gives every class e / V, the padding token too, where the V - 1 others were to get e / (V - 1).
# Any e above 0 shows it.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    if not real.any():
        return logits[real].sum()
    return F.cross_entropy(logits[real], targets[real], label_smoothing=smoothing)


# %% wrong: the target gets no share of what is left
# As in the Annotated Transformer: 1 - e on the target, e / (V - 2) on the others. The target was to be among
# those that share e. Shows for any e above 0 (and V = 2 divides by zero).

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be in [0, 1), got {smoothing}")
    real = targets != pad_id
    log_probs = logits[real].log_softmax(dim=-1)  # (N, V)
    V = log_probs.shape[1]
    share = torch.full_like(log_probs, smoothing / (V - 2) if smoothing else 0.0)
    share.scatter_(1, targets[real].unsqueeze(1), 1 - smoothing)
    share[:, pad_id] = 0
    return -(share * log_probs).sum() / max(len(log_probs), 1)


# %% wrong: padding is left out of the softmax as well
# The padding token's logit is set to minus infinity first, so that the softmax runs over V - 1 tokens. It was
# to run over all V. Any real place shows it, with e = 0 too.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    chosen, right = logits[real], targets[real].unsqueeze(1)
    column = torch.arange(chosen.shape[1], device=logits.device) == pad_id
    log_probs = chosen.masked_fill(column, float("-inf")).log_softmax(dim=1)
    of_target = log_probs.gather(1, right).squeeze(1)
    of_all = log_probs[:, ~column].sum(dim=1) / max(int((~column).sum()), 1)
    loss = -(1 - smoothing) * of_target - smoothing * of_all
    return loss.sum() / max(len(loss), 1)


# %% wrong: the mean of the sentences' means
# Each row's mean over its own real tokens, then the mean over the rows that have any: short sentences weigh too
# much. Right where all rows are equally long, wrong for lengths 2 and 5.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    logits = torch.where(real.unsqueeze(-1), logits, torch.zeros_like(logits))
    log_probs = logits.log_softmax(dim=-1)
    others = [v for v in range(logits.shape[-1]) if v != pad_id]
    of_target = log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    of_all = log_probs[..., others].sum(dim=-1) / max(len(others), 1)
    loss = -((1 - smoothing) * of_target + smoothing * of_all) * real  # (B, T)
    counts = real.sum(dim=1)
    means = loss.sum(dim=1) / counts.clamp(min=1)
    return means.sum() / (counts > 0).sum().clamp(min=1)


# %% correct: the log of the sum, less the shared logit

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    # the shares sum to one, so the loss of a place is logsumexp(z) - sum of share * z
    B, T, V = logits.shape
    places = (targets != pad_id).reshape(-1).nonzero().squeeze(1)
    z = logits.reshape(B * T, V)[places]
    z = z - z.detach().amax(dim=1, keepdim=True)
    right = z[torch.arange(len(z), device=z.device), targets.reshape(-1)[places]]
    loss = z.exp().sum(dim=1).log() - (1 - smoothing) * right
    if smoothing:
        words = torch.cat([z[:, :pad_id], z[:, pad_id + 1 :]], dim=1)
        loss = loss - smoothing * words.sum(dim=1) / max(V - 1, 1)
    return loss.sum() / max(len(places), 1)


# %% correct: place by place, against a written-out distribution

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
    V = logits.shape[-1]
    total, count = logits[:0].sum(), 0
    for b, sentence in enumerate(targets.tolist()):
        for t, target in enumerate(sentence):
            if target == pad_id:
                continue
            distribution = logits.new_full((V,), smoothing / max(V - 1, 1))
            distribution[pad_id] = 0
            distribution[target] += 1 - smoothing
            shared = distribution > 0
            total = total - torch.dot(distribution[shared], logits[b, t].log_softmax(dim=0)[shared])
            count += 1
    return total / max(count, 1)
