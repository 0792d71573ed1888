# %% wrong: the points beyond the rate only
# Keeps the points of the curve whose true positive rate is at least the given one and joins these. The piece between
# the rate and the next point is lost, unless a point happens to lie at the rate.
# Hint: three positives and the rate 0.5: at which true positive rate does your area begin?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if positives == 0 or negatives == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("a positive, a negative and a rate from 0 to below 1 are needed")
    found, spared = [0.0], [1.0]
    for threshold in scores.unique().flip(0):
        passed = scores >= threshold
        found.append((passed & positive).sum().item() / positives)
        spared.append(1 - (passed & ~positive).sum().item() / negatives)
    x, y = torch.tensor(found, dtype=torch.float64), torch.tensor(spared, dtype=torch.float64)
    kept = x >= min_true_positive_rate
    return (torch.trapezoid(y[kept], x[kept]) / (1 - min_true_positive_rate)).item()


# %% wrong: scikit-learn's partial area
# roc_auc_score(max_fpr=...) takes the area where the false positive rate is small, and standardises it so that chance
# is 0.5. The strip that was asked for lies where the true positive rate is large.
# Hint: with all scores equal and the rate 0.8, what should come out, and what does?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    from sklearn.metrics import roc_auc_score

    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    if positive.all() or not positive.any():
        raise ValueError("a positive and a negative are needed")
    return float(roc_auc_score(positive.cpu().numpy(), scores.cpu().numpy(), max_fpr=1 - min_true_positive_rate))


# %% wrong: above the threshold in place of at least
# A score passes where it is greater than the threshold. With the scores themselves as thresholds, those with the lowest
# score never pass, and the curve lacks its last point; where positives are among them, the area is too small.
# Hint: does your curve end in "everything passes"? Try scores that are all equal.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    positives, negatives = positive.sum().item(), (~positive).sum().item()
    if not positives or not negatives or not 0 <= min_true_positive_rate < 1:
        raise ValueError("a positive, a negative and a rate from 0 to below 1 are needed")
    area, x0, y0 = 0.0, 0.0, 1.0
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passed = scores > threshold
        x1 = (passed & positive).sum().item() / positives
        y1 = (~passed & ~positive).sum().item() / negatives
        if x1 > x0 and x1 > min_true_positive_rate:
            left = max(x0, min_true_positive_rate)
            y_left = y0 + (y1 - y0) * (left - x0) / (x1 - x0)
            area += (x1 - left) * (y_left + y1) / 2
        x0, y0 = x1, y1
    return area / (1 - min_true_positive_rate)


# %% wrong: the heights at a hundred places
# Reads the curve at 101 places between the rate and 1 and takes the mean. Where the curve drops straight down, np.interp
# takes one end of the drop, so even a perfect ranking has an area below one.
# Hint: what do you return for a perfect ranking, and what should it be?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    import numpy as np

    if not 0 <= min_true_positive_rate < 1 or positive.all() or not positive.any():
        raise ValueError("a positive, a negative and a rate from 0 to below 1 are needed")
    s, p = scores.cpu().numpy(), positive.cpu().numpy()
    found, spared = [0.0], [1.0]
    for threshold in np.unique(s)[::-1]:
        passed = s >= threshold
        found.append((passed & p).sum() / p.sum())
        spared.append((~passed & ~p).sum() / (~p).sum())
    places = np.linspace(min_true_positive_rate, 1, 101)
    return float(np.interp(places, found, spared).mean())


# %% wrong: the mean over the thresholds
# Averages the true negative rates of all thresholds that find enough. Every threshold counts the same there, however
# little of the axis it stands for: many negatives with low scores pull the mean down.
# Hint: over what does the mean run, by the docstring: over thresholds, or over true positive rates?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all():
        raise ValueError("there must be a positive and a negative")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    heights = []
    for threshold in scores.unique():
        passed = scores >= threshold
        if passed[positive].double().mean() >= min_true_positive_rate:
            heights.append((~passed[~positive]).double().mean().item())
    return sum(heights) / len(heights)


# %% correct: a dictionary of equal scores, and a walk down

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = min_true_positive_rate
    if not 0 <= least < 1:
        raise ValueError(f"the least rate must be from 0 to below 1, not {least}")
    steps = {}
    for score, is_positive in zip(scores.tolist(), positive.tolist(), strict=True):
        there = steps.setdefault(score, {True: 0, False: 0})
        there[bool(is_positive)] += 1
    positives = sum(step[True] for step in steps.values())
    negatives = sum(step[False] for step in steps.values())
    if positives == 0 or negatives == 0:
        raise ValueError("at least one positive and one negative are needed")
    area, found, spared = 0.0, 0, negatives
    for score in sorted(steps, reverse=True):
        begin, end = found / positives, (found + steps[score][True]) / positives
        high, low = spared / negatives, (spared - steps[score][False]) / negatives
        found, spared = found + steps[score][True], spared - steps[score][False]
        if end <= max(begin, least):
            continue  # straight down, or left of the strip
        if begin < least:
            high -= (high - low) * (least - begin) / (end - begin)
            begin = least
        area += (end - begin) * (high + low) / 2
    return area / (1 - least)


# %% correct: all thresholds at once

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = float(min_true_positive_rate)
    of_each = positive.bool()
    num_positive, num_negative = int(of_each.sum()), int((~of_each).sum())
    if min(num_positive, num_negative) == 0 or not 0 <= least < 1:
        raise ValueError(f"{num_positive} positives, {num_negative} negatives, least rate {least}")
    passed = scores >= scores.unique().flip(0).unsqueeze(1)  # (thresholds, n)
    x = F.pad((passed & of_each).sum(dim=1).double() / num_positive, (1, 0), value=0.0)
    y = F.pad((~passed & ~of_each).sum(dim=1).double() / num_negative, (1, 0), value=1.0)
    run, rise = x.diff(), y.diff()
    slope = torch.where(run > 0, rise / run.where(run > 0, torch.ones_like(run)), torch.zeros_like(run))
    inside = (x[1:] - x[:-1].clamp(min=least)).clamp(min=0)  # how much of each piece lies in the strip
    area = (inside * (y[1:] - slope * inside / 2)).sum()
    return (area / (1 - least)).item()
