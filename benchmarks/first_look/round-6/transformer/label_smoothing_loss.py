# %% wrong: padding is left out of the softmax
# The logit of pad_id is set to minus infinity before the softmax, where it should count, so that all other
# log-probabilities are too high; with e = 0 it is no longer masked_cross_entropy.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    keep = targets != pad_id
    if not keep.any():
        return logits[keep].sum()
    logits, targets = logits[keep], targets[keep]
    is_pad = torch.arange(logits.shape[-1], device=logits.device) == pad_id
    log_probs = logits.masked_fill(is_pad, float("-inf")).log_softmax(-1).masked_fill(is_pad, 0.0)
    of_target = log_probs.gather(1, targets[:, None]).squeeze(1)
    share = smoothing / (logits.shape[-1] - 1)
    return -((1 - smoothing) * of_target + share * log_probs.sum(-1)).mean()


# %% wrong: padding is taken to be token 0
# The column that gets no share is always the first, whatever pad_id is.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing has to be in [0, 1), not {smoothing}")
    V = logits.size(-1)
    log_probs = F.log_softmax(logits, dim=-1)
    nll = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    smooth = -log_probs[..., 1:].sum(dim=-1) / (V - 1)
    loss = (1 - smoothing) * nll + smoothing * smooth
    real = targets != pad_id
    return (loss * real).sum() / real.sum().clamp(min=1)


# %% wrong: mean of the sentences' means
# Each sentence's loss is divided by its own length first, so that a word of a short sentence counts for more than
# a word of a long one.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("bad smoothing")
    B, T, V = logits.shape
    shares = torch.full((V,), smoothing / (V - 1), device=logits.device)
    shares[pad_id] = 0.0
    distribution = shares + (1 - smoothing) * F.one_hot(targets, V)
    loss = -(distribution * logits.log_softmax(dim=-1)).sum(dim=-1)
    mask = (targets != pad_id).float()
    per_sentence = (loss * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong: the target gets no part of the share
# The e is divided among the V - 2 other words, as some libraries do, and the target has 1 - e and nothing on top.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0.0 or smoothing >= 1.0:
        raise ValueError("smoothing must lie in [0, 1)")
    vocabulary = logits.shape[-1]
    log_probs = logits.log_softmax(dim=-1)
    with torch.no_grad():
        truth = torch.full_like(log_probs, smoothing / max(vocabulary - 2, 1))
        truth.scatter_(2, targets.unsqueeze(2), 1 - smoothing)
        truth[:, :, pad_id] = 0
        truth[targets == pad_id] = 0
    count = (targets != pad_id).sum().clamp(min=1)
    return -(truth * log_probs).sum() / count


# %% wrong: NaN for padding alone, and 1 is let through
# A batch in which every target is pad_id gives the mean of nothing, which is NaN and not 0; and smoothing of
# exactly 1 raises no error.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0.0 <= smoothing <= 1.0:
        raise ValueError("smoothing is a share and must lie between 0 and 1")
    real = targets != pad_id
    log_probs = logits[real].log_softmax(-1)
    words = [v for v in range(logits.shape[-1]) if v != pad_id]
    hard = F.nll_loss(log_probs, targets[real])
    soft = -log_probs[:, words].mean(dim=-1).mean()
    return (1 - smoothing) * hard + smoothing * soft


# %% correct: one place at a time, logsumexp less the mean logit

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not (smoothing >= 0 and smoothing < 1):
        raise ValueError(f"smoothing must be from 0 to below 1, but is {smoothing}")

    def of_place(scores: Tensor, word: int) -> Tensor:
        # the shares add up to one, so the log of the softmax's sum stands alone
        expected = scores[word]
        if smoothing:
            allowed = torch.cat([scores[:pad_id], scores[pad_id + 1 :]])
            expected = (1 - smoothing) * expected + smoothing * allowed.mean()
        return scores.logsumexp(0) - expected

    losses = []
    for sentence, words in zip(logits, targets.tolist(), strict=True):
        for scores, word in zip(sentence, words, strict=True):
            if word != pad_id:
                losses.append(of_place(scores, word))
    if not losses:
        return logits[:0].sum()
    return torch.stack(losses).mean()


# %% correct: a mixture of two cross-entropies with soft targets

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0:
        raise ValueError("smoothing is negative")
    if smoothing >= 1:
        raise ValueError("smoothing is 1 or more")
    (places,) = torch.nonzero(targets.flatten() != pad_id, as_tuple=True)
    scores = logits.flatten(0, 1).index_select(0, places)
    words = targets.flatten().index_select(0, places)
    total = F.cross_entropy(scores, words, reduction="sum") * (1 - smoothing)
    if smoothing > 0:
        columns = torch.arange(scores.shape[1], device=scores.device)
        columns = columns[columns != pad_id]
        even = scores.log_softmax(dim=1).index_select(1, columns)
        total = total - smoothing * even.sum() / columns.numel()
    return total / max(places.numel(), 1)
