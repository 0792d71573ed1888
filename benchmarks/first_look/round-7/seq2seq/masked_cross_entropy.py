# %% wrong: mean of the sentences' means
# Averages inside each row and then over the rows, so a token of a short sentence weighs more, and a row of
# nothing but padding counts as a 0. Shows wherever rows have unequally many real tokens.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    costs = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")  # (B, T)
    counts = (targets != pad_id).sum(dim=1).clamp(min=1)
    return (costs.sum(dim=1) / counts).mean()


# %% wrong: NaN replaced at the end
# nan_to_num mends the 0/0 of a batch of padding and hides every other NaN with it:
# a NaN among the logits of a real token gives the loss 0.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.nan_to_num(loss, nan=0.0)


# %% wrong: a constant zero for no tokens
# Where no token is left it returns a fresh tensor that no gradient leads through: the value is right,
# but loss.backward() raises, and logits get no (zero) gradient.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    real = targets != pad_id
    if not real.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits[real], targets[real])


# %% wrong: the course's padding id
# Uses the notebook's PAD_ID where pad_id was handed over.
# Shows for any pad_id other than PAD_ID: padding is counted, and real tokens with that id are not.

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD_ID, reduction="sum")
    return total / (targets != PAD_ID).sum().clamp(min=1)


# %% correct: only the real tokens picked out, logsumexp minus the target's own logit

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    rows, columns = (targets != pad_id).nonzero(as_tuple=True)
    scores = logits[rows, columns]  # (N, V)
    own = scores.gather(1, targets[rows, columns].unsqueeze(1)).squeeze(1)
    return (scores.logsumexp(dim=1) - own).sum() / max(len(rows), 1)


# %% correct: sentence by sentence, a running sum that begins with an empty slice

def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"need logits (B, T, V) for targets (B, T), got {tuple(logits.shape)}, {tuple(targets.shape)}")
    total, count = logits[:0].sum(), 0  # zero, with a way back to the logits
    for scores, tokens in zip(logits, targets, strict=True):
        keep = [t for t, token in enumerate(tokens.tolist()) if token != pad_id]
        if keep:
            logs = F.log_softmax(scores[keep], dim=-1)
            total = total + F.nll_loss(logs, tokens[keep], reduction="sum")
            count += len(keep)
    return total / count if count else total
