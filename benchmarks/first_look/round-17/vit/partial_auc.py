# %% wrong: only the points from the rate on, as in the figure's cell
# The strip begins at the first point of the curve with x >= min_true_positive_rate, which need not be the rate itself.
# Shows where the rate is not one of the curve's: three positives and 0.5 lose the piece from 0.5 to 0.67.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if positives == 0 or negatives == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs a positive, a negative and a rate from 0 to below 1")
    points = [(0.0, 1.0)]
    for threshold in scores.unique().flip(0):
        passed = scores >= threshold
        found = int((passed & positive).sum()) / positives
        spared = 1 - int((passed & ~positive).sum()) / negatives
        points.append((found, spared))
    points = [(x, y) for x, y in points if x >= min_true_positive_rate]
    area = sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in zip(points, points[1:]))
    return area / (1 - min_true_positive_rate)


# %% wrong: scikit-learn's partial area
# roc_auc_score(max_fpr=...) limits the FALSE positive rate, not the true one, and rescales the area so that chance gives 0.5.
# Shows for nearly every input with a rate above 0, e.g. equal scores: 0.5, not half of 1 - rate.

from sklearn.metrics import roc_auc_score


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    if positive.all() or not positive.any():
        raise ValueError("there must be a positive and a negative")
    return float(roc_auc_score(positive.numpy(), scores.numpy(), max_fpr=1 - min_true_positive_rate))


# %% wrong: the hardest positives, counted in whole ones
# For each of the lowest (1 - rate) * n positives, the share of negatives below it, equals as a half. Shows where that is not
# a whole number (three positives, rate 0.5), and where positives tie with negatives across the rate: equal scores give 0.5.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("rate")
    good, bad = scores[positive].double(), scores[~positive].double()
    if len(good) == 0 or len(bad) == 0:
        raise ValueError("one class is missing")
    count = max(1, round((1 - min_true_positive_rate) * len(good)))
    hardest = good.sort().values[:count].unsqueeze(1)
    above = (hardest > bad).double() + 0.5 * (hardest == bad).double()
    return above.mean().item()


# %% wrong: the mean height on a grid of a hundred rates
# The curve is looked up at 101 rates and the heights are averaged. Where it falls straight down the grid misses the edge:
# shows in the third digit for most rankings, e.g. a negative between two positives.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    import numpy as np

    positives, negatives = int(positive.sum()), int((~positive).sum())
    if positives == 0 or negatives == 0:
        raise ValueError("needs both classes")
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError("rate out of range")
    found, spared = [0.0], [1.0]
    for threshold in scores.unique().flip(0):
        passed = scores >= threshold
        found.append((passed & positive).sum().item() / positives)
        spared.append(1 - (passed & ~positive).sum().item() / negatives)
    grid = np.linspace(min_true_positive_rate, 1, 101)
    return float(np.interp(grid, found, spared).mean())


# %% correct: exact fractions, each step of the curve cut at the rate

from fractions import Fraction


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    total = {True: positive.tolist().count(True), False: positive.tolist().count(False)}
    if not total[True] or not total[False] or not 0 <= min_true_positive_rate < 1:
        raise ValueError("a positive, a negative, and a rate in [0, 1) are needed")
    groups = {}
    for score, is_positive in zip(scores.tolist(), positive.tolist(), strict=True):
        groups.setdefault(score, []).append(is_positive)
    limit = Fraction(min_true_positive_rate)
    x, y, area = Fraction(0), Fraction(1), Fraction(0)
    for score in sorted(groups, reverse=True):
        new_x = x + Fraction(groups[score].count(True), total[True])
        new_y = y - Fraction(groups[score].count(False), total[False])
        if new_x > max(x, limit):
            begin = max(x, limit)
            height = y + (new_y - y) * (begin - x) / (new_x - x)
            area += (new_x - begin) * (height + new_y) / 2
        x, y = new_x, new_y
    return float(area / (1 - limit))


# %% correct: an integral for each positive, no curve

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    good, bad = scores[positive].sort().values, scores[~positive].sort().values
    n, m = good.numel(), bad.numel()
    if n == 0 or m == 0:
        raise ValueError("there must be positives and negatives")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError(f"not in [0, 1): {min_true_positive_rate}")
    # from the top, the k-th positive fills the rates k / n to (k + 1) / n; begin to end is its part of the strip
    k = torch.arange(n - 1, -1, -1, dtype=torch.float64, device=scores.device)
    begin, end = (k / n).clamp(min=min_true_positive_rate), (k + 1) / n
    width = (end - begin).clamp(min=0)
    below = torch.searchsorted(bad, good).double() / m
    equal = torch.searchsorted(bad, good, right=True).double() / m - below
    tie_begins = 1 - torch.searchsorted(good, good, right=True).double() / n
    tie_ends = 1 - torch.searchsorted(good, good).double() / n
    # within a tie the height falls in a straight line, from below + equal to below
    way = ((begin + end) / 2 - tie_begins) / (tie_ends - tie_begins)
    height = below + equal * (1 - way)
    return (width * height).sum().item() / (1 - min_true_positive_rate)
