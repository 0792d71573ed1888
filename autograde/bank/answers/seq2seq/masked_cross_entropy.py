# %% wrong: padding counts as tokens
# Padding is scored like a word, and counts as much as one. Leave padding out of both the sum and the count.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.mean()

# %% wrong: the sum is divided by B times T
# Padding is left out of the sum but counted in the divisor: in a batch with more padding the same words weigh less.
# Divide by the number of real tokens.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses.masked_fill(~real, 0.0).sum() / targets.numel()

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

# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
# --- after
    losses = F.cross_entropy(logits.softmax(dim=2).transpose(1, 2), targets, reduction="none")

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

# %% wrong: pad_id is taken to be 0
# Padding is recognized when it is 0 and not when it is another id. Compare with pad_id.

# --- before
    real = targets != pad_id  # (B, T)
# --- after
    real = targets != 0  # (B, T)

# %% wrong: 0/0 where nothing is left
# A batch of nothing but padding gives NaN, a mean of no numbers, and one NaN gradient spoils every weight. Divide by
# at least 1.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses[real].mean()

# %% wrong: a real NaN is swept away
# Every NaN is turned into 0, also those that a broken model makes, and a loss of 0 then hides that the weights are
# lost. Keep 0/0 from arising; do not mend it afterwards.

# --- before
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    return losses[real].mean().nan_to_num()

# %% wrong: no guard
# The loss is right, but the stub's check of the shapes is gone: logits with one column too many, as after a forgotten
# shift, are cut to the targets, and no error is raised. Put the check back.

# --- before
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
# --- after
    if False:

# %% correct: cross_entropy with ignore_index, as a sum
# --- before
    real = targets != pad_id  # (B, T)
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    total = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="sum")
    return total / max(1, int((targets != pad_id).sum()))

# %% correct: a loop over the tokens
# --- before
    real = targets != pad_id  # (B, T)
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    total, count = 0.0 * logits.sum(), 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad_id:
                total = total - (logits[b, t, targets[b, t]] - torch.logsumexp(logits[b, t], dim=0))
                count += 1
    return total / max(count, 1)

# %% correct: real tokens picked out first
# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    if not real.any():
        return (logits * 0).sum()
    return F.nll_loss(logits[real].log_softmax(-1), targets[real])

# %% correct: one-hot targets
# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    wanted = F.one_hot(targets, logits.shape[-1]) * real.unsqueeze(-1)
    return -(wanted * torch.log_softmax(logits, dim=-1)).sum() / real.sum().clamp(min=1)

# %% correct: weights times the losses
# --- before
    log_probabilities = F.log_softmax(logits, dim=2)
    losses = -log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
# --- after
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    weights = real.flatten().to(losses.dtype)
    return torch.dot(losses, weights) / torch.clamp(weights.sum(), min=1.0)
