# %% wrong: scikit-learn's partial area, which is standardized
# With the roles exchanged roc_auc_score(max_fpr=...) covers just this strip, but it rescales a partial area so that chance
# gives 0.5 (McClish): right for a rate of 0 and for a perfect ranking, wrong otherwise, e.g. equal scores at 0.8.

from sklearn.metrics import roc_auc_score


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be in [0, 1)")
    if positive.all() or not positive.any():
        raise ValueError("a positive and a negative are needed")
    negative = (~positive).cpu().numpy()
    return float(
        roc_auc_score(negative, -scores.detach().double().cpu().numpy(), max_fpr=1 - min_true_positive_rate)
    )


# %% wrong: one true negative rate for each true positive rate
# Keeps the highest true negative rate of those with the same true positive rate, so the vertical pieces of the curve are
# gone and the next line starts too high: wrong where a positive follows a negative, e.g. right, wrong, right from the top.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError("the rate must be in [0, 1)")
    P = int(positive.sum())
    N = len(positive) - P
    if P == 0 or N == 0:
        raise ValueError("a positive and a negative are needed")
    curve = {0.0: 1.0}
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        x = int((passes & positive).sum()) / P
        y = 1 - int((passes & ~positive).sum()) / N
        curve[x] = max(y, curve.get(x, 0.0))
    points = sorted(curve.items())
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= min_true_positive_rate:
            continue
        if x0 < min_true_positive_rate:
            y0 = y0 + (y1 - y0) * (min_true_positive_rate - x0) / (x1 - x0)
            x0 = min_true_positive_rate
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - min_true_positive_rate)


# %% wrong: pairs won by the lowest positives
# The area is the share of (positive, negative) pairs in the right order, so the strip should be that of the lowest
# positives. Right where the rate falls between two positives that are not tied; wrong e.g. for equal scores at 0.8 (0.5).


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be in [0, 1)")
    hits, others = scores[positive], scores[~positive]
    if len(hits) == 0 or len(others) == 0:
        raise ValueError("a positive and a negative are needed")
    kept = max(1, round((1 - min_true_positive_rate) * len(hits)))
    lowest = hits.sort().values[:kept].unsqueeze(1)
    won = (lowest > others).double() + 0.5 * (lowest == others).double()
    return won.mean().item()


# %% wrong: the curve read off at a hundred rates
# The mean of the interpolated curve at 101 evenly spaced rates: close, but not the area of the broken line; at rate 1 the
# curve is read at its lowest point, so that a perfect ranking does not give 1.0.

import numpy as np


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be in [0, 1)")
    if positive.all() or not positive.any():
        raise ValueError("a positive and a negative are needed")
    found, spared = [0.0], [1.0]
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        found.append(passes[positive].double().mean().item())
        spared.append(1 - passes[~positive].double().mean().item())
    rates = np.linspace(min_true_positive_rate, 1, 101)
    return float(np.interp(rates, found, spared).mean())


# %% correct: exact fractions, one group of equal scores after another

from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    start = Fraction(min_true_positive_rate)
    if not 0 <= start < 1:
        raise ValueError(f"{min_true_positive_rate} is not in [0, 1)")
    flags = positive.tolist()
    P, N = flags.count(True), flags.count(False)
    if not P or not N:
        raise ValueError("both kinds are needed")
    pairs = sorted(zip(scores.tolist(), flags), key=lambda pair: -pair[0])
    area, x, y = Fraction(0), Fraction(0), Fraction(1)
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        step = [flag for _, flag in group]
        new_x, new_y = x + Fraction(step.count(True), P), y - Fraction(step.count(False), N)
        if new_x > start and new_x > x:
            from_x = max(x, start)
            from_y = y + (new_y - y) * (from_x - x) / (new_x - x)
            area += (new_x - from_x) * (from_y + new_y) / 2
        x, y = new_x, new_y
    return float(area / (1 - start))


# %% correct: every distinct score's share of the strip at once


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = min_true_positive_rate
    if not (0 <= rate < 1) or not positive.any() or not (~positive).any():
        raise ValueError("needs a positive, a negative, and a rate in [0, 1)")
    values, group = torch.unique(scores.detach(), return_inverse=True)  # from the lowest score up
    hits = torch.bincount(group[positive], minlength=len(values)).double()
    others = torch.bincount(group[~positive], minlength=len(values)).double()
    hits, others = hits / hits.sum(), others / others.sum()
    # read from the right end: to the right of the strip's end lies what scores lower
    right = hits.cumsum(0) - hits  # missed rate before this group
    low = others.cumsum(0) - others  # true negative rate at the group's right end
    width = (1 - rate - right).clamp(min=0).minimum(hits)  # how much of the group lies in the strip
    slope = torch.where(hits > 0, others / hits.clamp(min=1e-300), 0)
    area = (width * (low + slope * width / 2)).sum()
    return (area / (1 - rate)).item()
