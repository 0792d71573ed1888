# %% wrong: scores clamped
# Clamps the scores into a range in which exp cannot overflow. Finite, but scores beyond the range become equal, and minus infinity gets a weight above zero where the others are low. A good message: "(1000, 1001) must give the same weights as (0, 1): a clamp changes differences, a shift does not".

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    e = scores.clamp(-80, 80).exp()
    return e / e.sum(dim=dim, keepdim=True)

# %% wrong: the mean subtracted
# Subtracts the mean and not the maximum: one score far above the others still overflows, and a score of minus infinity makes the mean minus infinity and all NaN. A good message: "which number, subtracted, makes the largest exponential exactly 1?"

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    shifted = scores - scores.mean(dim=dim, keepdim=True)
    e = torch.exp(shifted)
    return e / e.sum(dim=dim, keepdim=True)

# %% wrong: the maximum's axis put back at the end
# max(dim) removes the axis and unsqueeze(-1) puts it back as the last one: right for dim=-1 only. For other axes it raises an error, or broadcasts silently where sizes agree. A good message: "right for the last axis, wrong for dim=0: keepdim=True keeps the axis in its place".

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    top = scores.max(dim).values.unsqueeze(-1)
    e = (scores - top).exp()
    return e / e.sum(dim).unsqueeze(-1)

# %% wrong: NaN mended afterwards
# Takes the naive formula and replaces what went wrong: inf/inf becomes 1, and then everything is shared anew. (101, 102, 103) come out as equal shares. A good message: "the weights are finite but not those of the equation: mend the scores, not the result".

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    e = scores.exp()
    weights = torch.nan_to_num(e / e.sum(dim, keepdim=True), nan=1.0)
    return weights / weights.sum(dim, keepdim=True)

# %% correct: axis moved to the end, flat rows, powers of two

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    moved = scores.movedim(dim, -1) if scores.dim() else scores.reshape(1)
    if moved.numel() == 0:
        return scores.clone()
    rows = moved.reshape(-1, moved.shape[-1])
    top, _ = torch.sort(rows.detach(), dim=1, descending=True)
    powers = torch.exp2((rows - top[:, :1]) * math.log2(math.e))
    weights = (powers / powers.sum(1)[:, None]).reshape(moved.shape)
    return weights.movedim(-1, dim) if scores.dim() else weights.reshape(())

# %% correct: in place on a tensor of its own

def safe_softmax(scores: Tensor, dim: int) -> Tensor:
    weights = scores - scores.amax(dim, True)
    weights = weights.exp_()
    return weights.div(weights.sum(dim, True))
