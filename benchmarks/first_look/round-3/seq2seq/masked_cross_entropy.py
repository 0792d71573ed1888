# %% wrong: view where the classes should be moved
# The logits are brought to (B, V, T) by view, which reads the same numbers in another order; F.cross_entropy then sees mixed-up scores.
# Breaks "-log softmax(logits)[target]" of each token. Hint: which call moves the axis V to the second place, and does view?

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    batch, length, classes = logits.shape
    costs = F.cross_entropy(
        logits.contiguous().view(batch, classes, length), targets.masked_fill(~real, 0), reduction="none"
    )
    return torch.where(real, costs, torch.zeros_like(costs)).sum() / real.sum().clamp(min=1)


# %% wrong: mean of the sentences' means
# Each sentence is averaged by itself and then the sentences, so the tokens of short sentences weigh more.
# Breaks "Mean over the real tokens of the whole batch", and a row of nothing but padding changes the loss. Hint: with sentences of 2 and 10 tokens, how much does each token count?

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    costs = F.cross_entropy(logits.transpose(1, 2), targets.masked_fill(~real, 0), reduction="none")  # (B, T)
    costs = costs.masked_fill(~real, 0.0)
    per_sentence = costs.sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong: a zero without a graph
# Where no token is left a new tensor 0 is returned that does not hang on the logits, so backward raises an error.
# Breaks "the loss is 0, with zero gradients". Hint: call backward on the loss of a batch of nothing but padding.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.tensor(0.0, dtype=logits.dtype, device=logits.device)
    return F.cross_entropy(logits[real], targets[real])


# %% wrong: every NaN swept away
# The 0/0 of an empty batch is mended with nan_to_num, which also turns a NaN among a real token's logits into a loss of 0.
# Breaks "A NaN among the logits of a real token is not hidden". Hint: mend the divisor and not the result; which NaN do you still want to see?

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)


# %% correct: only the real tokens, by log-sum-exp

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets.ne(pad_id)
    scores, tokens = logits[real], targets[real]  # (N, V), (N,)
    right = scores[torch.arange(len(tokens), device=scores.device), tokens]
    costs = scores.logsumexp(dim=1) - right
    return costs.sum() / max(1, tokens.numel())


# %% correct: one-hot choice with where

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    heard = torch.where(real.unsqueeze(-1), logits, torch.zeros((), dtype=logits.dtype, device=logits.device))
    chosen = targets.unsqueeze(-1) == torch.arange(logits.shape[-1], device=targets.device)
    chosen = chosen & real.unsqueeze(-1)  # (B, T, V), one True for each real token
    log_probabilities = heard.log_softmax(dim=-1)
    total = torch.where(chosen, log_probabilities, torch.zeros_like(log_probabilities)).sum()
    return -total / real.count_nonzero().clamp_min(1)
