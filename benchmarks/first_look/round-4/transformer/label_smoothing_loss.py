# %% wrong: torch's smoothing, which shares among all the words
# F.cross_entropy spreads the rest over all V words, padding among them; here it goes to the V - 1 others than padding.
# Hint: how much of the distribution does pad_id get in PyTorch's, and how much should it get?

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    total = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=smoothing, reduction="sum"
    )
    return total / (targets != pad_id).sum().clamp(min=1)


# %% wrong: nothing more for the target itself
# The rest is shared among the words other than padding and other than the target, V - 2 of them; the target is one of
# those that share.
# Hint: which probability has the target in the end, 1 - e, or 1 - e and a share? Read "the target among them" again.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be at least 0 and below 1")
    V = logits.shape[-1]
    wanted = torch.full_like(logits, smoothing / (V - 2))
    wanted[..., pad_id] = 0
    wanted.scatter_(2, targets.unsqueeze(2), 1 - smoothing)
    of_each_place = -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)
    real = targets != pad_id
    return of_each_place[real].sum() / real.sum().clamp(min=1)


# %% wrong: padding taken out of the softmax
# The logit of padding is set to minus infinity before the softmax, so the model's probabilities are of words other than
# padding only. It gets no share as a target; the model's own distribution should stay as it is.
# Hint: with smoothing 0 it should be masked_cross_entropy. Compare the two where the logit of padding is large.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing {smoothing}")
    is_pad = torch.arange(logits.shape[-1], device=logits.device) == pad_id
    log_probs = logits.masked_fill(is_pad, float("-inf")).log_softmax(dim=-1)
    real = targets != pad_id
    chosen = log_probs[real].gather(1, targets[real].unsqueeze(1)).squeeze(1)
    others = log_probs[real][:, ~is_pad].mean(dim=1)
    loss = -(1 - smoothing) * chosen - smoothing * others
    return loss.sum() / real.sum().clamp(min=1)


# %% wrong: the mean of the sentences' means
# Each sentence is averaged over its own words, and then the sentences over each other: a word of a short sentence counts
# more than one of a long sentence. With sentences of the same length it is right.
# Hint: "the mean over the targets that are not pad_id": by how many is the sum divided, in a batch of two and six words?

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0.0 <= smoothing < 1.0:
        raise ValueError(f"smoothing must be in [0, 1), got {smoothing}")
    log_probs = logits.log_softmax(dim=2)
    words = [v for v in range(logits.shape[2]) if v != pad_id]
    right = log_probs.gather(2, targets.unsqueeze(2)).squeeze(2)
    loss = -(1 - smoothing) * right - smoothing * log_probs[:, :, words].mean(dim=2)
    real = (targets != pad_id).to(loss.dtype)
    by_sentence = (loss * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return by_sentence.mean()


# %% wrong: the mean of nothing
# The losses of the real places are averaged by mean(), which is NaN where there is none; the docstring promises 0. One
# batch of padding alone, and all the parameters are NaN.
# Hint: call it with targets that are all padding.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError(f"smoothing must be from 0 to below 1, and is {smoothing}")
    real = targets != pad_id
    log_probs = F.log_softmax(logits[real], dim=-1)  # (N, V)
    share = torch.full_like(log_probs, smoothing / (log_probs.shape[1] - 1))
    share[:, pad_id] = 0
    rows = torch.arange(len(share), device=share.device)
    share[rows, targets[real]] += 1 - smoothing
    return -(share * log_probs).sum(dim=1).mean()


# %% correct: two ordinary losses, weighed

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be from 0 to below 1, got {smoothing}")
    places = (targets != pad_id).nonzero(as_tuple=True)
    log_probs = torch.log_softmax(logits[places], dim=1)  # (N, V)
    count = max(len(log_probs), 1)
    surprise = F.nll_loss(log_probs, targets[places], reduction="sum") / count
    if smoothing == 0:
        return surprise
    words = torch.arange(log_probs.shape[1], device=log_probs.device)
    surprise_of_any = -log_probs[:, words != pad_id].mean(dim=1).sum() / count
    return (1 - smoothing) * surprise + smoothing * surprise_of_any


# %% correct: the logarithm of the sum, minus the expected logit

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or not smoothing < 1:
        raise ValueError(f"the smoothing has to lie in [0, 1): {smoothing}")
    total, places = logits[..., :0].sum(), 0
    for sentence, answers in zip(logits, targets, strict=True):
        real = answers != pad_id
        z, answer = sentence[real], answers[real]
        z = z - z.detach().amax(dim=1, keepdim=True)  # of no consequence but for the rounding
        places += len(answer)
        # the shares sum to one, so sum of -share * (z - logsumexp) = logsumexp - sum of share * z
        expected = (1 - smoothing) * z.take_along_dim(answer.unsqueeze(1), dim=1).squeeze(1)
        if smoothing:
            no_pad = torch.cat([z[:, :pad_id], z[:, pad_id + 1 :]], dim=1)
            expected = expected + smoothing * no_pad.sum(dim=1) / no_pad.shape[1]
        total = total + (z.logsumexp(dim=1) - expected).sum()
    return total / max(places, 1)
