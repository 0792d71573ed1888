# %% wrong: every score a step of its own
# Equal scores do not pass together: with all scores equal the result depends on the order in which they stand.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    P, n = int(positive.sum()), len(positive)
    if P in (0, n) or not 0 <= low < 1:
        raise ValueError("needs positives, negatives and a rate in [0, 1)")
    fell = positive[scores.argsort(descending=True, stable=True)].tolist()
    x, y, area = 0.0, 1.0, 0.0
    found = passed = 0
    for hit in fell:
        found, passed = found + hit, passed + (not hit)
        new_x, new_y = found / P, 1 - passed / (n - P)
        if new_x > low and new_x > x:
            start = max(x, low)
            at_start = y + (new_y - y) * (start - x) / (new_x - x)
            area += (new_x - start) * (at_start + new_y) / 2
        x, y = new_x, new_y
    return area / (1 - low)


# %% wrong: the curve begins at the first point above the rate
# No line is cut at min_true_positive_rate: with three positives and a rate of 0.5 the piece from 1/2 to 2/3 is missing.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs positives, negatives and a rate in [0, 1)")
    points = [(0.0, 1.0)]
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        found, spared = int((passes & positive).sum()), N - int((passes & ~positive).sum())
        points.append((found / P, spared / N))
    points = [point for point in points if point[0] >= min_true_positive_rate]
    if points[0][0] == 1.0:
        return points[0][1]
    area = sum((c - a) * (b + d) / 2 for (a, b), (c, d) in zip(points, points[1:]))
    return area / (1.0 - points[0][0])


# %% wrong: the point where nothing passes is missing
# Starts with the highest score: with ties at the top the line from (0, 1) is lost, and with all scores equal the curve is one point.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or low < 0 or low >= 1:
        raise ValueError("needs positives, negatives and a rate in [0, 1)")
    xs, ys = [], []
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        xs.append(int((passes & positive).sum()) / P)
        ys.append(1 - int((passes & ~positive).sum()) / N)
    area = 0.0
    if xs[0] > low:  # level up to the first point
        area += (xs[0] - low) * ys[0]
    for a, b, c, d in zip(xs, ys, xs[1:], ys[1:]):
        if c > low and c > a:
            start = max(a, low)
            area += (c - start) * (b + (d - b) * (start - a) / (c - a) + d) / 2
    return area / (1 - low)


# %% wrong: the area is not divided by the width
# Returns the area itself: a perfect ranking with a rate of 0.8 gives 0.2 and not 1.0.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or low < 0 or low >= 1:
        raise ValueError("needs positives, negatives and a rate in [0, 1)")
    x, y, area = 0.0, 1.0, 0.0
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        new_x = int((passes & positive).sum()) / P
        new_y = 1 - int((passes & ~positive).sum()) / N
        if new_x > max(low, x):
            start = max(x, low)
            at_start = y + (new_y - y) * (start - x) / (new_x - x)
            area += (new_x - start) * (at_start + new_y) / 2
        x, y = new_x, new_y
    return area


# %% correct: exact fractions over groups of equal scores

from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError(f"the rate must be in [0, 1), got {min_true_positive_rate}")
    pairs = sorted(zip(scores.tolist(), positive.tolist(), strict=True), reverse=True)
    positives = sum(is_one for _, is_one in pairs)
    negatives = len(pairs) - positives
    if not positives or not negatives:
        raise ValueError("both a positive and a negative are needed")
    low = Fraction(min_true_positive_rate)
    x, y, area = Fraction(0), Fraction(1), Fraction(0)
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        members = [is_one for _, is_one in group]
        right = x + Fraction(sum(members), positives)
        below = y - Fraction(len(members) - sum(members), negatives)
        if right > low and right > x:
            slope = (below - y) / (right - x)
            left = max(x, low)
            area += (right - left) * (y + slope * ((left + right) / 2 - x))  # height in the middle
        x, y = right, below
    return float(area / (1 - low))


# %% correct: for each positive its stretch of the axis

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = float(min_true_positive_rate)
    ones, zeros = scores[positive], scores[~positive]
    if low < 0 or low >= 1 or ones.numel() == 0 or zeros.numel() == 0:
        raise ValueError("needs a positive, a negative and a rate from 0 to below 1")
    ones = ones.sort(descending=True).values
    # of the others, how many lie above each positive and how many are equal: (P,)
    above = (zeros > ones.unsqueeze(1)).sum(dim=1).double() / zeros.numel()
    equal = (zeros == ones.unsqueeze(1)).sum(dim=1).double() / zeros.numel()
    peers = (ones == ones.unsqueeze(1)).sum(dim=1).double()
    before = (ones > ones.unsqueeze(1)).sum(dim=1).double()
    k = torch.arange(len(ones), dtype=torch.float64, device=scores.device)
    # positive k covers the rates from k / P to (k + 1) / P; its line falls by `equal` over its peers
    left = (k / len(ones)).clamp(min=low)
    right = ((k + 1) / len(ones)).clamp(min=low)
    middle = (left + right) / 2 * len(ones)  # in positives
    height = 1 - above - equal * (middle - before) / peers
    return ((right - left) * height).sum().item() / (1 - low)
