# %% wrong: PyTorch's own smoothing
# F.cross_entropy shares e among all V tokens, the padding token among them.
# Shows for every smoothing above 0 with a real target: padding has a share of e / V.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = (targets != pad_id).sum().clamp(min=1)
    total = F.cross_entropy(
        logits.flatten(0, 1),
        targets.flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction="sum",
    )
    return total / real

# %% wrong: nothing for the right word
# e is shared among the V - 2 tokens that are neither padding nor the target.
# Shows for every smoothing above 0 and V of 3 or more.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p = torch.log_softmax(logits[real], dim=-1)
    chosen = targets[real]
    share = smoothing / max(logits.shape[-1] - 2, 1)
    q = torch.full_like(log_p, share)
    q[:, pad_id] = 0
    q.scatter_(1, chosen[:, None], 1 - smoothing)
    return -(q * log_p).sum() / max(len(chosen), 1)

# %% wrong: a mean over nothing
# The mean over the real tokens is right, but a batch of padding alone is 0/0.
# Shows where every target is pad_id: the loss is NaN.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p = torch.log_softmax(logits[real], dim=-1)
    right = log_p.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    others = log_p.sum(dim=1) - log_p[:, pad_id]
    share = smoothing / max(logits.shape[-1] - 1, 1)
    return -((1 - smoothing) * right + share * others).mean()

# %% wrong: padding left out of the softmax
# The padding's logit is taken out before the softmax, which should still run over all V.
# Shows wherever padding's logit is not far below the others, with e = 0 too.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    V = logits.shape[-1]
    kept = [v for v in range(V) if v != pad_id]
    chosen = targets[real]
    log_p = torch.log_softmax(logits[real][:, kept], dim=-1)
    q = torch.full_like(log_p, smoothing / max(V - 1, 1))
    place = (chosen - (chosen > pad_id).long()).unsqueeze(1)
    q.scatter_add_(1, place, torch.full_like(q[:, :1], 1 - smoothing).expand(len(chosen), 1))
    return -(q * log_p).sum() / max(len(chosen), 1)

# %% correct: logsumexp minus what is expected

# A place costs the log of the sum less the expected logit under the shares, measured from its largest logit.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    places, chosen = logits[real], targets[real]
    if len(chosen) == 0:
        return places.sum()
    shifted = places - places.detach().amax(dim=1, keepdim=True)
    cost = torch.logsumexp(shifted, dim=1) - (1 - smoothing) * shifted[torch.arange(len(chosen)), chosen]
    if smoothing > 0:
        words = torch.cat([shifted[:, :pad_id], shifted[:, pad_id + 1 :]], dim=1)
        cost = cost - smoothing * words.mean(dim=1)
    return cost.sum() / len(chosen)

# %% correct: a loop over the sentences

# Two sums over the real places of each row, the targets' and all words' log-probabilities, and one division.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    words = [v for v in range(logits.shape[2]) if v != pad_id]
    total, count = logits[:0].sum(), 0
    for row, wanted in zip(logits, targets, strict=True):
        at = torch.nonzero(wanted != pad_id).squeeze(1)
        log_p = F.log_softmax(row.index_select(0, at), dim=1)
        total = total - (1 - smoothing) * log_p.gather(1, wanted[at].unsqueeze(1)).sum()
        if smoothing and words:
            total = total - smoothing / len(words) * log_p[:, words].sum()
        count += len(at)
    return total / max(count, 1)
