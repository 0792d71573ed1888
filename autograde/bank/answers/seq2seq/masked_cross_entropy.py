# %% wrong: padding counts as tokens
# Padding is scored like a word, and the places where nothing is to be said weigh as much as the rest. Leave it out of
# sum and count.

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

# %% wrong: the sum is divided by B times T
# Padding is left out of the sum but counted in the divisor: in a batch with more padding the same words weigh less.
# Divide by the number of real tokens.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).sum() / targets.numel()

# %% wrong: the sum is divided by the batch size
# The loss is a sum over each sentence, averaged over sentences. Asked for is the mean over real tokens.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).sum() / len(targets)

# %% wrong: the mean of the sentences' means
# Each sentence is averaged first, so a word in a short sentence weighs more than one in a long one. Take one mean over
# all real tokens of the batch.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return (losses.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1).clamp(min=1)).mean()

# %% wrong: softmax before the cross-entropy
# `cross_entropy` takes the softmax itself; it was given probabilities, and took the softmax of those. Such a loss can
# never come near zero. Give it the logits.

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    real = targets != pad_id
    losses = F.cross_entropy(torch.softmax(logits, dim=2).flatten(0, 1), targets.flatten(), reduction="none")
    return (losses * real.flatten()).sum() / real.sum().clamp(min=1)

# %% wrong: the logarithm of a softmax
# For large logits a probability underflows to 0 and its logarithm is minus infinity. `log_softmax` computes the
# difference without going through zero (chapter 00).

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    log_probabilities = torch.log(torch.softmax(logits, dim=2))

# %% wrong: the softmax runs over time
# The probabilities sum to one over the positions of a sentence. They must sum to one over the vocabulary.

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    log_probabilities = F.log_softmax(logits, dim=1)

# %% wrong: the softmax runs over the batch
# The probabilities sum to one over the sentences of the batch. They must sum to one over the vocabulary.

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    log_probabilities = F.log_softmax(logits, dim=0)

# %% wrong: the mask is upside down
# Only padding is counted. True should stand for a real token.

# --- before
    real = targets != pad_id  # (B, T)
# --- after
    real = targets == pad_id  # (B, T)

# %% wrong: pad_id is taken to be 0
# Padding is recognised when it is 0 and not when it is another id. Compare with pad_id.

# --- before
    real = targets != pad_id  # (B, T)
# --- after
    real = targets != 0  # (B, T)

# %% wrong: the sign is missing
# The loss is negative. It is MINUS the logarithm of the true token's probability.

# --- before
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
# --- after
    losses = log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)

# %% wrong: 0/0 where nothing is left
# A batch of nothing but padding gives NaN, a mean of no numbers, and one NaN gradient spoils every weight. Divide by
# at least 1.

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)

# %% wrong: the sum, not the mean
# The losses are added up and not divided, so the loss grows with the batch. Divide by the number of real tokens.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).sum()

# %% wrong: one too many in the divisor
# The divisor is the count plus one. That keeps 0/0 away and makes every other loss a little too small. The divisor is
# the count itself, and 1 only where the count is 0.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).sum() / (real.sum() + 1)

# %% wrong: the exponentials overflow
# The exponential of a logit beyond 88 is infinite, and infinite by infinite is NaN. `log_softmax` takes the largest
# logit away first (chapter 00).

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
# --- after
    log_probabilities = torch.log(logits.exp() / logits.exp().sum(dim=2, keepdim=True))

# %% wrong: the logits are zeroed at padding and counted all the same
# With its logits at zero a padded place still costs ln V and still stands in the divisor. Leave its LOSS out of the
# sum, and the place out of the count.

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    logits = logits.masked_fill((targets == pad_id).unsqueeze(2), 0.0)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

# %% wrong: a real NaN is swept away
# Every NaN is turned into 0, those that a broken model makes too, and a loss of 0 then hides that the weights are
# lost. Keep 0/0 from arising; do not mend it afterwards.

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id).nan_to_num()

# %% wrong: padding is found in the logits
# Positions are left out where the model predicts padding. What is padding is decided by the targets.

# --- before
    real = targets != pad_id  # (B, T)
# --- after
    real = logits.argmax(dim=2) != pad_id  # (B, T)

# %% wrong: no guard
# The loss is right, but the guard of the stub is gone: logits with a column too many are cut to the targets without a
# word, as when the shift was forgotten. Put it back.

# --- before
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
# --- after
    if False:

# %% correct: cross_entropy with ignore_index, as a sum

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    total = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="sum")
    return total / max(1, int((targets != pad_id).sum()))

# %% correct: a loop over the tokens

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    total, count = 0.0 * logits.sum(), 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad_id:
                total = total - (logits[b, t, targets[b, t]] - torch.logsumexp(logits[b, t], dim=0))
                count += 1
    return total / max(count, 1)

# %% correct: real tokens picked out first

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    real = targets.ne(pad_id)
    if not real.any():
        return (logits * 0).sum()
    return F.nll_loss(logits[real].log_softmax(-1), targets[real])

# %% correct: one-hot targets

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    real = (targets != pad_id).to(logits.dtype)
    wanted = F.one_hot(targets, logits.shape[-1]).to(logits.dtype) * real.unsqueeze(-1)
    return -(wanted * torch.log_softmax(logits, dim=-1)).sum() / real.sum().clamp(min=1)

# %% correct: weights times the losses

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    losses = F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1), reduction="none")
    weights = (targets.reshape(-1) != pad_id).float()
    return torch.dot(losses, weights) / torch.clamp(weights.sum(), min=1.0)

# %% correct: max subtracted by hand

def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")

    shifted = logits - logits.max(dim=2, keepdim=True).values.detach()
    log_z = shifted.exp().sum(dim=2).log()
    picked = torch.take_along_dim(shifted, targets.unsqueeze(2), dim=2)[..., 0]
    real = targets != pad_id
    return torch.where(real, log_z - picked, torch.zeros_like(picked)).sum() / max(real.sum().item(), 1)
