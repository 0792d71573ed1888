# %% wrong: NaN turned into zero at the end
# nan_to_num makes 0 of the 0/0 of an empty batch, and of every other NaN as well.
# Shows where a real token's logits hold a NaN: the loss says 0 and training looks perfect.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)

# %% wrong: a fresh zero for the empty batch
# Where no token is left a new tensor is returned: it hangs on no graph (and is float32 whatever the logits are).
# Shows for targets of nothing but padding: backward() raises where zero gradients were promised.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits[real], targets[real])

# %% wrong: the costs of padding multiplied by zero
# The cost is worked out at padding too and then multiplied by the mask; where that cost overflows, inf * 0 is NaN.
# Shows for finite but huge logits at padding, such as 3e38 beside -3e38 in float32.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = (targets != pad_id).to(logits.dtype)
    safe = targets.masked_fill(targets == pad_id, 0).unsqueeze(2)
    costs = -torch.log_softmax(logits, dim=2).gather(2, safe).squeeze(2)
    return (costs * real).sum() / real.sum().clamp(min=1)

# %% wrong: a small number inside the logarithm
# -log(softmax + 1e-9) cannot cost more than 20.7, and has next to no gradient where the model is badly wrong.
# Shows where the true token's logit lies 25 or more below the largest one.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    probabilities = torch.softmax(logits[real], dim=-1)  # (N, V)
    picked = probabilities[torch.arange(len(probabilities), device=logits.device), targets[real]]
    return -torch.log(picked + 1e-9).sum() / max(len(picked), 1)

# %% correct: a distribution for the real tokens

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    rows, columns = torch.nonzero(targets != pad_id, as_tuple=True)
    each = torch.distributions.Categorical(logits=logits[rows, columns], validate_args=False)
    return each.log_prob(targets[rows, columns]).sum().neg() / max(rows.numel(), 1)

# %% correct: row by row, two running sums

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total = logits[:0].sum()  # zero, and it hangs on the logits
    count = 0
    for scores, tokens in zip(logits, targets, strict=True):
        kept = [t for t, token in enumerate(tokens.tolist()) if token != pad_id]
        for t in kept:
            total = total + (scores[t].logsumexp(dim=0) - scores[t, tokens[t]])
        count += len(kept)
    return total / count if count else total
