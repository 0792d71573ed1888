# %% wrong: the divergence in place of the cross-entropy
# F.kl_div also subtracts the entropy of the smoothed targets. With smoothing 0 it is the same; with
# 0.1 the loss is too low by that entropy (the gradients are right).

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p, target = torch.log_softmax(logits[real], dim=1), targets[real]
    size = logits.shape[2]
    wanted = torch.full_like(log_p, smoothing / max(size - 1, 1))
    wanted[:, pad_id] = 0
    wanted.scatter_add_(
        1, target.unsqueeze(1), torch.full_like(log_p[:, :1], 1 - smoothing)
    )
    return F.kl_div(log_p, wanted, reduction="sum") / real.sum().clamp(min=1)


# %% wrong: the padding token is column 0
# The column that gets no share is the first, whatever pad_id is. Right with pad_id 0, as in the notebook;
# with pad_id 2 token 0 loses its share and the padding token gets one.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p, target = logits[real].log_softmax(dim=-1), targets[real]
    right = log_p.gather(1, target.unsqueeze(1)).sum()
    others = log_p[:, 1:].sum() / max(logits.shape[2] - 1, 1)
    return -((1 - smoothing) * right + smoothing * others) / real.sum().clamp(min=1)


# %% wrong: the shares of padded places count
# The padding mask is applied to the right word's term only; the even shares are summed over all
# places. It shows with smoothing above 0 and a padded place, whose logits then matter.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    count = (targets != pad_id).sum().clamp(min=1)
    log_p = torch.log_softmax(logits, dim=2)
    nll = F.nll_loss(log_p.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    tokens = torch.arange(logits.shape[2], device=logits.device) != pad_id
    even = -(log_p[:, :, tokens]).sum() / max(logits.shape[2] - 1, 1)
    return ((1 - smoothing) * nll + smoothing * even) / count


# %% wrong: the target's share is overwritten
# Every token gets e / (V - 1) and then the target's entry is SET to 1 - e: the right one is not included
# in the sharing and the distribution sums to less than one. It shows with any smoothing above 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p, target = logits[real].log_softmax(dim=-1), targets[real]
    wanted = torch.full_like(log_p, smoothing / max(logits.shape[2] - 1, 1))
    wanted.scatter_(1, target.unsqueeze(1), 1 - smoothing)
    wanted[:, pad_id] = 0
    return -(wanted * log_p).sum() / real.sum().clamp(min=1)


# %% correct: a table of distributions, one row a token, looked up

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    size = logits.shape[-1]
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}")
    places = (targets != pad_id).flatten().nonzero().squeeze(1)
    surprise = -F.log_softmax(logits.reshape(-1, size).index_select(0, places), dim=1)
    table = torch.eye(size, dtype=logits.dtype, device=logits.device) * (1 - smoothing)
    table = table + smoothing / max(size - 1, 1)
    table[:, pad_id] = 0
    wanted = table[targets.flatten()[places]]
    # where nothing is wanted nothing is counted, an infinite surprise neither; NaN stays NaN
    counted = torch.where((wanted > 0) | surprise.isnan(), wanted * surprise, wanted.new_zeros(()))
    return counted.sum() / max(len(places), 1)


# %% correct: logsumexp minus the mean logit that is wanted, sentence by sentence

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    kept = [v for v in range(logits.shape[2]) if v != pad_id]
    total, count = logits[..., :0].sum(), 0  # 0, and it hangs on the logits
    for of_sentence, sentence in zip(logits, targets, strict=True):
        for row, target in zip(of_sentence, sentence.tolist(), strict=True):
            if target == pad_id:
                continue
            row = row - row.detach().max()
            shortfall = row.logsumexp(dim=0) - row
            total = total + (1 - smoothing) * shortfall[target]
            if smoothing > 0:
                total = total + smoothing * shortfall[kept].mean()
            count += 1
    return total / max(count, 1)
