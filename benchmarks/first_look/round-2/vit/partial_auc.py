# %% wrong: equal scores one after the other
# Ties are walked through in the order in which sort leaves them, so the area depends on the order of the examples. A good message: "all scores equal: expected half of 1 - rate; equal scores are one step".

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("need a positive, a negative and a rate in [0, 1)")
    found, let_in, area = 0, 0, 0.0
    for i in scores.argsort(descending=True).tolist():
        if positive[i]:
            left = max(found / P, min_true_positive_rate)
            found += 1
            area += max(0.0, found / P - left) * (1 - let_in / N)
        else:
            let_in += 1
    return area / (1 - min_true_positive_rate)

# %% wrong: only points inside the strip
# Points left of the least rate are thrown away and no point is put AT it, so a piece of the strip is missing; the width is that of the points left. A good message: "rate 0.5 with three positives: the curve must be cut at 0.5, between two points".

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError("out of range")
    thresholds = scores.unique().flip(0)
    passes = scores >= thresholds[:, None]
    found = torch.cat([torch.zeros(1), passes[:, positive].float().mean(dim=1)])
    spared = torch.cat([torch.ones(1), 1 - passes[:, ~positive].float().mean(dim=1)])
    inside = found >= min_true_positive_rate
    return (torch.trapezoid(spared[inside], found[inside]) / (1 - min_true_positive_rate)).item()

# %% wrong: the area, not the mean height
# The strip's area is not divided by its width, and a rate of 1 passes. With a rate of 0 it is right. A good message: "a perfect ranking: expected 1.0, got 0.2"; "rate = 1: expected ValueError".

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if positive.all() or not positive.any() or not 0 <= min_true_positive_rate <= 1:
        raise ValueError("cannot be computed")
    m, area, x, y = min_true_positive_rate, 0.0, 0.0, 1.0
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        new_x = (passes & positive).sum().item() / positive.sum().item()
        new_y = 1 - (passes & ~positive).sum().item() / (~positive).sum().item()
        if new_x > max(x, m):
            left = max(x, m)
            height = y + (new_y - y) * (left - x) / (new_x - x)
            area += (new_x - left) * (height + new_y) / 2
        x, y = new_x, new_y
    return area

# %% correct: groups of equal scores, all at once

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = float(min_true_positive_rate)
    if not 0.0 <= least < 1.0:
        raise ValueError(f"the rate must be in [0, 1), got {least}")
    if not positive.any() or positive.all():
        raise ValueError("need at least one positive and one negative")
    values, group = torch.unique(scores, return_inverse=True)

    def curve(chosen: Tensor) -> Tensor:  # shares that pass, from none to all
        counts = torch.bincount(group[chosen], minlength=len(values)).double().flip(0)
        return F.pad(counts.cumsum(0), (1, 0)) / counts.sum()

    x, y = curve(positive), 1 - curve(~positive)
    width = x.diff()
    left = x[:-1].clamp(min=least)
    right = x[1:].clamp(min=least)
    slope = torch.where(width > 0, y.diff() / width.where(width > 0, torch.ones_like(width)), torch.zeros_like(width))
    middle = y[:-1] + slope * ((left + right) / 2 - x[:-1])
    return ((right - left) * middle).sum().item() / (1 - least)
