# %% wrong: PyTorch's label smoothing
# It shares e among all V tokens, the padding among them; here the V - 1 others have it.
# Shows for every smoothing above 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    if (targets == pad_id).all():
        return logits.sum() * 0
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


# %% wrong: the padding is taken out of the softmax
# pad_id gets no share, so its logit is set to -inf before the softmax; the model's probabilities are then others.
# Shows for every smoothing, 0 included, where the padding's logit is not far below the rest.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be in [0, 1)")
    is_pad = torch.arange(logits.shape[-1], device=logits.device) == pad_id
    log_probs = logits.masked_fill(is_pad, float("-inf")).log_softmax(dim=-1).masked_fill(is_pad, 0.0)
    on_target = log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    shared = log_probs.sum(dim=-1) / max(logits.shape[-1] - 1, 1)
    losses = -((1 - smoothing) * on_target + smoothing * shared)
    real = targets != pad_id
    return losses[real].sum() / real.sum().clamp(min=1)


# %% wrong: nothing is thought of where all is padding
# The mean of no places is nan, and not 0.
# Shows where every target is pad_id.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    vocab_size = logits.shape[-1]
    log_probs = F.log_softmax(logits, dim=-1)
    shares = torch.full_like(log_probs, smoothing / (vocab_size - 1))
    shares.scatter_add_(-1, targets.unsqueeze(-1), torch.full_like(log_probs[..., :1], 1 - smoothing))
    shares[..., pad_id] = 0
    losses = -(shares * log_probs).sum(dim=-1)
    return losses[targets != pad_id].mean()


# %% wrong: the target is left out of the sharing
# e is shared among the V - 2 tokens that are neither padding nor the target, which keeps 1 - e and no more.
# Shows for every smoothing above 0, as soon as there are three tokens.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing is {smoothing}")
    real = targets != pad_id
    log_probs, targets = logits.log_softmax(dim=-1)[real], targets[real]
    shares = torch.full_like(log_probs, smoothing / max(log_probs.shape[-1] - 2, 1))
    shares[:, pad_id] = 0
    shares = shares.scatter(1, targets.unsqueeze(1), 1 - smoothing)
    return -(shares * log_probs).sum() / max(len(targets), 1)


# %% correct: the normaliser less a mean logit

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, not {smoothing}")
    real = targets != pad_id
    rows, right = logits[real], targets[real]  # (N, V), (N,)
    rows = rows - rows.detach().amax(dim=1, keepdim=True)
    losses = rows.logsumexp(dim=1) - (1 - smoothing) * rows.take_along_dim(right[:, None], dim=1)[:, 0]
    if smoothing > 0:
        words = torch.arange(rows.shape[1], device=rows.device) != pad_id
        losses = losses - smoothing * rows[:, words].sum(dim=1) / max(rows.shape[1] - 1, 1)
    return losses.sum() / max(right.numel(), 1)


# %% correct: place by place, in a loop

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    total, places = logits[:0].sum(), 0
    for sentence, ids in zip(logits.unbind(dim=0), targets.tolist(), strict=True):
        for scores, right in zip(sentence.unbind(dim=0), ids, strict=True):
            if right == pad_id:
                continue
            surprise = -F.log_softmax(scores, dim=0)
            loss = (1 - smoothing) * surprise[right]
            if smoothing:
                others = [cost for word, cost in enumerate(surprise.unbind()) if word != pad_id]
                loss = loss + smoothing * torch.stack(others).mean()
            total, places = total + loss, places + 1
    return total / max(places, 1)
