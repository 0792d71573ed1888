# %% wrong: equal scores one by one
# The scores are walked through one at a time, so equal ones become several steps, in the order in which they lie.
# Shows for ties between a positive and a negative: all scores equal give 1 or 0 or what the order says.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if positives == 0 or negatives == 0:
        raise ValueError("a positive and a negative are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    fell = positive[scores.argsort(descending=True, stable=True)].tolist()
    area, found, spared = 0.0, 0, negatives
    for is_positive in fell:
        if is_positive:
            low, high = found / positives, (found + 1) / positives
            area += max(0.0, high - max(low, min_true_positive_rate)) * spared / negatives
            found += 1
        else:
            spared -= 1
    return area / (1 - min_true_positive_rate)


# %% wrong: rates below the least are pushed up to it
# The true positive rates are clamped to the least one, but the height of the curve there is not found by the line.
# Shows where the least rate lies within a slanted line: all scores equal, rate 0.8, gives 0.5 and not 0.1.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all():
        raise ValueError("a positive and a negative are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    thresholds = torch.unique(scores).flip(0)
    passes = scores >= thresholds.unsqueeze(1)  # (K, n)
    found = passes[:, positive].double().mean(dim=1)
    spared = 1 - passes[:, ~positive].double().mean(dim=1)
    x = F.pad(found, (1, 0), value=0.0).clamp(min=min_true_positive_rate)
    y = F.pad(spared, (1, 0), value=1.0)
    return (torch.trapezoid(y, x) / (1 - min_true_positive_rate)).item()


# %% wrong: the upper end of a drop at the least rate
# Where the curve drops straight down at the least rate, the strip begins at the upper end of the drop.
# Shows where negatives fall just at that rate: scores 3 (not), 2 (yes), 1 (not), rate 0: 0.75 in place of 0.5.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = min_true_positive_rate
    if not positive.any() or positive.all():
        raise ValueError("a positive and a negative are needed")
    if not 0 <= least < 1:
        raise ValueError("the rate must be from 0 to below 1")
    points = [(0.0, 1.0)]
    for threshold in torch.unique(scores).flip(0):
        passes = scores >= threshold
        points.append((passes[positive].double().mean().item(), 1 - passes[~positive].double().mean().item()))
    first = next(i for i, (x, _) in enumerate(points) if x >= least)
    if points[first][0] > least:
        (x0, y0), (x1, y1) = points[first - 1], points[first]
        strip = [(least, y0 + (y1 - y0) * (least - x0) / (x1 - x0))] + points[first:]
    else:
        strip = [points[first]] + [point for point in points[first:] if point[0] > least]
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in zip(strip, strip[1:]))
    return area / (1 - least)


# %% wrong: the whole curve is refused
# A rate of 0 is refused, although it is allowed: it asks for the area under the whole curve.
# Shows for min_true_positive_rate=0.0: a ValueError.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all():
        raise ValueError("a positive and a negative are needed")
    if not 0 < min_true_positive_rate < 1:
        raise ValueError("the rate must lie between 0 and 1")
    least, area = min_true_positive_rate, 0.0
    x0, y0 = 0.0, 1.0
    for threshold in torch.unique(scores).flip(0):
        passes = scores >= threshold
        x1 = passes[positive].double().mean().item()
        y1 = 1 - passes[~positive].double().mean().item()
        if x1 > max(x0, least):
            start = max(x0, least)
            height = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
            area += (x1 - start) * (height + y1) / 2
        x0, y0 = x1, y1
    return area / (1 - least)


# %% correct: fractions, group after group

from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    labels = positive.tolist()
    yes, no = labels.count(True), labels.count(False)
    if not yes or not no:
        raise ValueError("a positive and a negative are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    least = Fraction(min_true_positive_rate)
    area, found, spared = Fraction(0), Fraction(0), Fraction(1)
    ranked = sorted(zip(scores.tolist(), labels), key=lambda pair: pair[0], reverse=True)
    for _, group in groupby(ranked, key=lambda pair: pair[0]):
        members = [is_positive for _, is_positive in group]
        further = found + Fraction(sum(members), yes)
        lower = spared - Fraction(len(members) - sum(members), no)
        if further > least:
            if found < least:  # the line is cut where the strip begins
                spared += (lower - spared) * (least - found) / (further - found)
                found = least
            area += (further - found) * (spared + lower) / 2
        found, spared = further, lower
    return float(area / (1 - least))


# %% correct: the height in the middle of every piece

import numpy as np


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = float(min_true_positive_rate)
    if not 0.0 <= least < 1.0:
        raise ValueError(f"the rate must be from 0 to below 1, not {least}")
    if int(positive.sum()) in (0, positive.numel()):
        raise ValueError("scores of positives and of negatives are needed")
    levels, level = scores.detach().unique(return_inverse=True)
    found = torch.bincount(level[positive], minlength=len(levels)).flip(0).cumsum(0).cpu().numpy()
    passed = torch.bincount(level[~positive], minlength=len(levels)).flip(0).cumsum(0).cpu().numpy()
    x = np.concatenate([[0.0], found / found[-1]])
    y = np.concatenate([[1.0], 1.0 - passed / passed[-1]])
    cuts = np.unique(np.concatenate([[least], x[x > least]]))
    middles = (cuts[1:] + cuts[:-1]) / 2  # a drop lies at a cut, so none meets it
    return float((np.diff(cuts) * np.interp(middles, x, y)).sum() / (1.0 - least))
