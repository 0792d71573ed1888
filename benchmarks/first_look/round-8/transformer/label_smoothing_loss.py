# %% wrong: PyTorch's label_smoothing
# F.cross_entropy shares the e among all V tokens, pad_id among them: the padding gets a share as a word.
# Shows for every smoothing > 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing is {smoothing}, and should be from 0 to below 1")
    if not (targets != pad_id).any():
        return logits.sum() * 0.0
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )

# %% wrong: the target gets no share of the rest
# e is shared among the V - 2 tokens that are neither target nor padding; the target should have its part
# of it too. Shows for every smoothing > 0, and divides by zero at V = 2.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing has to be at least 0 and below 1")
    V = logits.shape[-1]
    log_probs = F.log_softmax(logits, dim=-1)
    shares = torch.full_like(log_probs, smoothing / (V - 2))
    shares[..., pad_id] = 0
    shares.scatter_(-1, targets.unsqueeze(-1), 1 - smoothing)
    losses = -(shares * log_probs).sum(dim=-1)
    real = targets != pad_id
    return (losses * real).sum() / real.sum().clamp(min=1)

# %% wrong: no target, no number
# The mean of nothing is nan: shows where all targets are pad_id, which should give 0.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must lie in [0, 1)")
    real = targets != pad_id
    log_probs = F.log_softmax(logits[real], dim=-1)
    words = [i for i in range(logits.shape[-1]) if i != pad_id]
    of_target = -log_probs.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    of_all = -log_probs[:, words].mean(dim=1)
    return ((1 - smoothing) * of_target + smoothing * of_all).mean()

# %% wrong: smoothing 1 passes
# The border is on the wrong side: smoothing=1 should raise ValueError ("1 and above") and gets a loss.

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing > 1:
        raise ValueError("smoothing must be between 0 and 1")
    real = targets != pad_id
    log_probs = F.log_softmax(logits[real], dim=-1)
    words = torch.arange(logits.shape[-1], device=logits.device) != pad_id
    losses = -(1 - smoothing) * log_probs.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    if smoothing > 0:
        losses = losses - smoothing * log_probs[:, words].mean(dim=1)
    return losses.sum() / real.sum().clamp(min=1)

# %% correct: logsumexp less a blend of logits

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing {smoothing} is not from 0 to below 1")
    places = targets.ne(pad_id).nonzero(as_tuple=True)
    rows, right = logits[places], targets[places]
    rows = rows - rows.detach().amax(dim=-1, keepdim=True)
    wanted = (1 - smoothing) * rows.gather(-1, right[:, None])[:, 0]
    if smoothing > 0:
        words = torch.cat([rows[:, :pad_id], rows[:, pad_id + 1 :]], dim=-1)
        wanted = wanted + smoothing * words.mean(dim=-1)
    return (rows.logsumexp(dim=-1) - wanted).sum() / max(len(right), 1)

# %% correct: place by place and word by word

def label_smoothing_loss(logits: Tensor, targets: Tensor, pad_id: int, smoothing: float) -> Tensor:
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing goes from 0 to below 1")
    vocabulary = logits.shape[2]
    total, count = logits[:, :, :0].sum(), 0
    for b, sentence in enumerate(targets.tolist()):
        for t, target in enumerate(sentence):
            if target == pad_id:
                continue
            count += 1
            log_probabilities = torch.log_softmax(logits[b, t], dim=0)
            for word in range(vocabulary):
                share = 0.0 if word == pad_id else smoothing / (vocabulary - 1)
                if word == target:
                    share += 1 - smoothing
                if share > 0:
                    total = total - share * log_probabilities[word]
    return total / count if count else total
