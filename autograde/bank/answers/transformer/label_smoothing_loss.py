# %% wrong: padding gets a share of the smoothing
# The smoothing was shared among all V tokens. The padding is never right and gets nothing: V - 1 tokens share.

# --- before
    total = log_probabilities.sum(dim=2) - log_probabilities[:, :, pad_id]
    losses = -(1 - smoothing) * of_target - smoothing * total / (logits.shape[2] - 1)
# --- after
    total = log_probabilities.sum(dim=2)
    losses = -(1 - smoothing) * of_target - smoothing * total / logits.shape[2]

# %% wrong: divided among V tokens
# The sum leaves padding out and the share does not: it is smoothing / (V - 1), and so the whole no longer sums to one.

# --- before
    losses = -(1 - smoothing) * of_target - smoothing * total / (logits.shape[2] - 1)
# --- after
    losses = -(1 - smoothing) * of_target - smoothing * total / logits.shape[2]

# %% wrong: the target gets no share
# The smoothing was shared among the others alone. In this docstring the target is one of the tokens that share, on top
# of its 1 - e.

# --- before
    total = log_probabilities.sum(dim=2) - log_probabilities[:, :, pad_id]
    losses = -(1 - smoothing) * of_target - smoothing * total / (logits.shape[2] - 1)
# --- after
    total = log_probabilities.sum(dim=2) - log_probabilities[:, :, pad_id] - of_target
    losses = -(1 - smoothing) * of_target - smoothing * total / (logits.shape[2] - 2)

# %% wrong: no smoothing
# The loss is the plain cross-entropy, whatever the smoothing. Give every token but padding its share.

# --- before
    losses = -(1 - smoothing) * of_target - smoothing * total / (logits.shape[2] - 1)
# --- after
    losses = -of_target

# %% wrong: padding counts
# The loss changes with the padding: places whose target is pad_id were counted. Leave them out of the sum and of the
# count.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.mean()

# %% wrong: divided by B times T
# Padding was left out of the sum, but the mean was still taken over all B * T places. Divide by the number of real
# ones.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).mean()

# %% wrong: softmax before the log-softmax
# The logits went through softmax twice. log_softmax does all of it.

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    log_probabilities = F.log_softmax(F.softmax(logits, dim=2), dim=2)

# %% wrong: nothing but padding gives NaN
# Where every target is padding the result is 0/0. The docstring says what comes back.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).sum() / real.sum()

# %% wrong: nothing but padding gives a number without a gradient
# Where every target is padding a fresh zero came back, from which `backward` finds no way to the logits. Compute the
# zero from the logits, so that their gradient is zero too.

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    if not real.any():
        return torch.zeros(())
    log_probabilities = F.log_softmax(logits, dim=2)

# %% wrong: the logarithm of a softmax
# A word with a logit far below the others gets probability 0 in float32, and its logarithm is minus infinity.
# log_softmax does both at once and stays finite.

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    log_probabilities = F.softmax(logits, dim=2).log()

# %% wrong: pad_id is taken to be 0
# With pad_id 0 it is right, with another not: the token left out of the sum is always token 0.

# --- before
    total = log_probabilities.sum(dim=2) - log_probabilities[:, :, pad_id]
# --- after
    total = log_probabilities.sum(dim=2) - log_probabilities[:, :, 0]

# %% correct: the whole distribution
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError(smoothing)
    V = logits.shape[-1]
    wanted = torch.full_like(logits, smoothing / (V - 1))
    wanted[..., pad_id] = 0
    wanted = wanted + (1 - smoothing) * F.one_hot(targets, V)
    losses = -(wanted * logits.log_softmax(-1)).sum(-1)
    real = (targets != pad_id).float()
    return (losses * real).sum() / real.sum().clamp(min=1)

# %% correct: cross-entropy with probabilities
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    V, real = logits.shape[2], targets != pad_id
    if not real.any():
        return logits.sum() * 0
    share = (torch.arange(V, device=logits.device) != pad_id).float() * smoothing / (V - 1)
    wanted = F.one_hot(targets[real], V) * (1 - smoothing) + share
    return F.cross_entropy(logits[real], wanted)

# %% correct: the real places picked out
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not (smoothing >= 0 and smoothing < 1):
        raise ValueError(f"smoothing {smoothing}")
    real = targets != pad_id
    log_p, right = F.log_softmax(logits, -1)[real], targets[real]
    others = torch.arange(logits.shape[-1]) != pad_id
    hard = -log_p[torch.arange(len(right)), right]
    soft = -log_p[:, others].mean(1)
    return ((1 - smoothing) * hard + smoothing * soft).sum() / max(len(right), 1)

# %% correct: logsumexp
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError
    z = torch.logsumexp(logits, 2)
    right = logits.gather(2, targets[..., None])[..., 0]
    rest = torch.cat([logits[..., :pad_id], logits[..., pad_id + 1 :]], 2).mean(2)
    losses = z - (1 - smoothing) * right - smoothing * rest
    real = targets != pad_id
    return torch.where(real, losses, 0.0).sum() / real.sum().clamp(min=1)

# %% correct: a loop over the places
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError(f"{smoothing} is not in [0, 1)")
    total, count = logits.sum() * 0, 0
    tokens = [v for v in range(logits.shape[2]) if v != pad_id]
    for b, row in enumerate(targets.tolist()):
        for t, target in enumerate(row):
            if target != pad_id:
                log_p = logits[b, t].log_softmax(0)
                total = total - (1 - smoothing) * log_p[target] - smoothing * log_p[tokens].mean()
                count += 1
    return total / max(count, 1)
