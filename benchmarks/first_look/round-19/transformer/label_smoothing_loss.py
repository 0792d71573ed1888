# %% wrong: PyTorch's own label smoothing
# F.cross_entropy shares the e evenly among all V tokens, padding too; here padding gets none. Shows for any smoothing
# above 0 where V is 2 or more.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    losses = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), reduction="none", label_smoothing=smoothing
    ).view(targets.shape)
    return losses.masked_fill(~real, 0).sum() / real.sum().clamp(min=1)


# %% wrong: the share goes to the other words only
# Leaves 1 - e on the target and shares e among the V - 2 tokens that are neither padding nor the target; the target
# has to get a share too. Shows for any smoothing above 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    V = logits.shape[-1]
    real = targets != pad_id
    log_p = F.log_softmax(logits, dim=-1)
    wanted = torch.full_like(log_p, smoothing / max(V - 2, 1))
    wanted[..., pad_id] = 0
    wanted = wanted.scatter(2, targets.unsqueeze(2), 1 - smoothing)
    losses = -(wanted * log_p).sum(dim=-1)
    return losses.masked_fill(~real, 0).sum() / real.sum().clamp(min=1)


# %% wrong: padding is taken to be token 0
# Leaves out the first column of the log-probabilities instead of that of pad_id. Shows for pad_id of 1 or more and
# smoothing above 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p = F.log_softmax(logits, dim=-1)
    of_target = log_p.gather(2, targets.unsqueeze(2)).squeeze(2)
    others = log_p.shape[-1] - 1
    losses = -(1 - smoothing) * of_target - smoothing / max(others, 1) * log_p[..., 1:].sum(dim=-1)
    return torch.where(real, losses, torch.zeros_like(losses)).sum() / real.sum().clamp(min=1)


# %% wrong: the mean of nothing
# Picks the real places and takes the mean: where every target is padding that is the mean of no number, NaN instead
# of 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    real = targets != pad_id
    log_p, wanted = F.log_softmax(logits[real], dim=-1), targets[real]  # (N, V), (N,)
    words = torch.arange(log_p.shape[-1], device=logits.device) != pad_id
    right = F.nll_loss(log_p, wanted, reduction="none")
    spread = -log_p[:, words].mean(dim=-1)
    return ((1 - smoothing) * right + smoothing * spread).mean()


# %% correct: one cross-entropy for each word that gets a share
def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    loss = (1 - smoothing) * masked_cross_entropy(logits, targets, pad_id)
    words = [word for word in range(logits.shape[-1]) if word != pad_id]
    if smoothing > 0:
        for word in words:  # as if this word were right at every place
            if_it_were = torch.where(targets == pad_id, targets, word)
            loss = loss + smoothing / len(words) * masked_cross_entropy(logits, if_it_were, pad_id)
    return loss


# %% correct: logsumexp less what is expected of the logits, on the real places alone
def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing has to be in [0, 1), got {smoothing}")
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError("need logits (B, T, V) for targets (B, T)")
    places = targets.ne(pad_id).nonzero(as_tuple=True)
    rows, right = logits[places], targets[places].unsqueeze(1)  # (N, V), (N, 1)
    # minus the log-probabilities, from logits that are at most 0
    rows = rows - rows.detach().amax(dim=1, keepdim=True) if len(rows) else rows
    costs = rows.exp().sum(dim=1, keepdim=True).log() - rows
    loss = costs.gather(1, right).sum() * (1 - smoothing)
    words = torch.cat([costs[:, :pad_id], costs[:, pad_id + 1 :]], dim=1)
    if smoothing > 0 and words.shape[1] > 0:
        loss = loss + words.sum() * (smoothing / words.shape[1])
    return loss / max(len(rows), 1)
