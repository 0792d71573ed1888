# %% wrong: PyTorch's own label smoothing
# F.cross_entropy shares smoothing among all V tokens, pad_id among them: differs for every smoothing above 0.


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    if not (targets != pad_id).any():
        return logits.sum() * 0
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


# %% wrong: the target has no share in the rest
# smoothing is shared among the V - 2 tokens that are neither padding nor the target, so that the target has 1 - e and not
# 1 - e + e / (V - 1). Differs for every smoothing above 0.


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    V = logits.shape[-1]
    log_probs = torch.log_softmax(logits, dim=-1)
    shares = torch.full_like(log_probs, smoothing / (V - 2))
    shares[..., pad_id] = 0
    shares.scatter_(-1, targets.unsqueeze(-1), 1 - smoothing)
    real = targets != pad_id
    losses = -(shares * log_probs).sum(dim=-1)
    return (losses * real).sum() / real.sum().clamp(min=1)


# %% wrong: padding is taken to be token 0
# The shares leave out the first column, as PAD_ID is 0 in this course: wrong for any other pad_id with smoothing above 0.


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    log_probs = logits.log_softmax(dim=-1)
    of_target = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    of_all = -log_probs[..., 1:].mean(dim=-1)
    losses = (1 - smoothing) * of_target + smoothing * of_all
    real = targets != pad_id
    return losses[real].sum() / max(int(real.sum()), 1)


# %% wrong: a smoothing of 1 is let through
# 1 and above is to raise ValueError; smoothing=1 passes the test and a loss that ignores the targets is returned.


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing > 1:
        raise ValueError("smoothing must lie between 0 and 1")
    real = targets != pad_id
    if not real.any():
        return logits.sum() * 0
    log_probs = logits[real].log_softmax(dim=-1)
    hard = F.nll_loss(log_probs, targets[real])
    tokens = [v for v in range(logits.shape[-1]) if v != pad_id]
    soft = -log_probs[:, tokens].mean()
    return (1 - smoothing) * hard + smoothing * soft


# %% correct: place by place, from logsumexp and two sums


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, not {smoothing}")
    total, count = logits[:0].sum(), 0
    for sentence, words in zip(logits, targets.tolist(), strict=True):
        for scores, word in zip(sentence, words, strict=True):
            if word == pad_id:
                continue
            surprise = torch.logsumexp(scores, dim=0) - scores
            loss = (1 - smoothing) * surprise[word]
            if smoothing > 0:
                others = torch.cat([surprise[:pad_id], surprise[pad_id + 1 :]])
                loss = loss + smoothing * others.mean()
            total, count = total + loss, count + 1
    return total / count if count else total


# %% correct: the real places picked first, and only the pairs that have a share


def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing is a share: 0 or more, and less than 1")
    places = targets.ne(pad_id).flatten().nonzero().squeeze(1)
    scores = logits.flatten(0, 1).index_select(0, places)
    words = targets.flatten().index_select(0, places)
    log_probs = scores - torch.logsumexp(scores, dim=1, keepdim=True)
    wanted = torch.arange(logits.shape[-1]).ne(pad_id).to(log_probs.dtype).mul(smoothing / max(logits.shape[-1] - 1, 1))
    wanted = wanted + F.one_hot(words, logits.shape[-1]).to(log_probs.dtype) * (1 - smoothing)
    row, column = wanted.nonzero(as_tuple=True)  # only where there is a share
    losses = wanted[row, column] * log_probs[row, column]
    return -losses.sum() / max(len(places), 1)
