# %% wrong: the target gets none of the share
# e is shared among the V - 2 other tokens, and the target has 1 - e alone; in the docstring the target is among those
# that share.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    V = logits.shape[-1]
    log_p = F.log_softmax(logits, dim=-1)
    shares = torch.full_like(log_p, smoothing / (V - 2))
    shares[..., pad_id] = 0
    shares.scatter_(2, targets.unsqueeze(2), 1 - smoothing)
    keep = targets != pad_id
    losses = -(shares * log_p).sum(dim=2)
    return (losses * keep).sum() / keep.sum().clamp(min=1)


# %% wrong: padding is taken out of the softmax
# The probabilities are normalised over V - 1 tokens; the docstring's log softmax is that of all the logits.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing out of range")
    V = logits.shape[-1]
    words = [v for v in range(V) if v != pad_id]
    log_p = torch.log_softmax(logits[..., words], dim=-1)
    keep = targets != pad_id
    if not keep.any():
        return logits.sum() * 0.0
    one_hot = F.one_hot(targets, V)[..., words].to(log_p.dtype)
    shares = (1 - smoothing) * one_hot + smoothing / (V - 1)
    losses = -(shares * log_p).sum(dim=-1)
    return losses[keep].mean()


# %% wrong: the divergence and not the cross-entropy
# KL divergence takes the entropy of the smoothed targets away; equal without smoothing, too small with it.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0.0 <= smoothing < 1.0:
        raise ValueError("smoothing has to be in [0, 1)")
    V = logits.size(-1)
    distribution = torch.full_like(logits, smoothing / (V - 1))
    distribution[:, :, pad_id] = 0.0
    distribution = distribution + (1.0 - smoothing) * F.one_hot(targets, V)
    keep = (targets != pad_id).unsqueeze(-1)
    total = F.kl_div(logits.log_softmax(-1) * keep, distribution * keep, reduction="sum")
    return total / keep.sum().clamp(min=1)


# %% wrong: padding is believed to be token 0
# The share skips column 0 whatever pad_id is; right in this notebook, where the two agree.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(smoothing)
    log_p = logits.log_softmax(dim=2)
    right = log_p.gather(2, targets.unsqueeze(2)).squeeze(2)
    everyone = log_p[:, :, 1:].mean(dim=2)
    losses = -(1 - smoothing) * right - smoothing * everyone
    real = (targets != pad_id).to(losses.dtype)
    return (losses * real).sum() / real.sum().clamp(min=1)


# %% wrong: a mean for each sentence, and then their mean
# A word of a short sentence counts more than one of a long sentence; right where all are equally long.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not (0 <= smoothing < 1):
        raise ValueError(f"{smoothing=}")
    B, T, V = logits.shape
    log_p = torch.log_softmax(logits, -1)
    target = torch.zeros_like(log_p).scatter(-1, targets[..., None], 1 - smoothing)
    others = torch.full((V,), smoothing / (V - 1), dtype=log_p.dtype, device=log_p.device)
    others[pad_id] = 0
    losses = -((target + others) * log_p).sum(-1)
    keep = (targets != pad_id).to(losses.dtype)
    per_sentence = (losses * keep).sum(dim=1) / keep.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% correct: by logsumexp on the places that count

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing {smoothing} is not in [0, 1)")
    counted = targets.ne(pad_id)
    rows, words = logits[counted], targets[counted]  # (N, V), (N,)
    surprise = rows.logsumexp(dim=1, keepdim=True) - rows
    loss = (1 - smoothing) * surprise[torch.arange(len(words), device=words.device), words]
    if smoothing:
        real = torch.cat([surprise[:, :pad_id], surprise[:, pad_id + 1 :]], dim=1)
        loss = loss + smoothing * real.mean(dim=1)
    return loss.sum() / max(len(words), 1)


# %% correct: place by place

def loss_of_a_place(scores: Tensor, word: int, pad_id: int, smoothing: float) -> Tensor:
    log_p = scores - torch.logsumexp(scores, dim=0)
    loss = -log_p[word] * (1 - smoothing)
    if smoothing > 0:
        others = [v for v in range(len(scores)) if v != pad_id]
        loss = loss - log_p[others].sum() * smoothing / len(others)
    return loss


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must not be negative, and must be below 1")
    losses = [
        loss_of_a_place(scores, word, pad_id, smoothing)
        for sentence, words in zip(logits, targets.tolist(), strict=True)
        for scores, word in zip(sentence, words, strict=True)
        if word != pad_id
    ]
    if not losses:
        return logits[:0].sum()
    return torch.stack(losses).mean()
