# %% wrong: torch's own smoothing
# F.cross_entropy shares e among all V tokens, padding among them, and gives NaN where no target is left. A good message: "the padding token has a share: e / (V - 1) for the others, 0 for it"; "no target: expected 0, got nan".

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be from 0 to below 1")
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, label_smoothing=smoothing)

# %% wrong: the target gets no share of e
# e is shared among the V - 2 others; the target has 1 - e and not 1 - e + e / (V - 1). With V = 2 it divides by zero. A good message: "the target is one of those among whom e is shared".

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing {smoothing}")
    real = targets != pad_id
    log_p, targets = logits[real].log_softmax(dim=-1), targets[real]
    shares = torch.full_like(log_p, smoothing / (logits.shape[-1] - 2))
    shares[:, pad_id] = 0
    shares.scatter_(1, targets[:, None], 1 - smoothing)
    return -(shares * log_p).sum() / max(1, len(targets))

# %% wrong: divided by all places
# Padding adds nothing to the sum, but the mean is over all B * T places: more padding, less loss. And smoothing of 1 passes. A good message: "with one more column of padding the loss falls"; "smoothing = 1: expected ValueError".

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing > 1:
        raise ValueError("smoothing")
    V = logits.shape[-1]
    log_p = F.log_softmax(logits, dim=-1)
    of_target = log_p.gather(2, targets.unsqueeze(2)).squeeze(2)
    of_all = log_p.sum(dim=2) - log_p[..., pad_id]
    loss = -(1 - smoothing) * of_target - smoothing / (V - 1) * of_all
    return loss.masked_fill(targets == pad_id, 0.0).mean()

# %% correct: real rows only, padding's column dropped

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0.0 <= smoothing < 1.0:
        raise ValueError(f"smoothing must be in [0, 1), got {smoothing}")
    if smoothing == 0:
        return masked_cross_entropy(logits, targets, pad_id)
    real = targets.ne(pad_id)
    rows, wanted = logits[real], targets[real]
    log_p = rows - rows.logsumexp(dim=1, keepdim=True)
    others = [v for v in range(rows.shape[1]) if v != pad_id]
    sharing = log_p[:, others].sum() * (smoothing / max(1, len(others)))
    hit = (1 - smoothing) * log_p[torch.arange(len(wanted), device=wanted.device), wanted].sum()
    return -(hit + sharing) / max(1, len(wanted))
