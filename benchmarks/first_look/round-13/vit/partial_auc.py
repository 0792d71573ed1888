# %% wrong: equal scores one after the other
# The sorted scores are walked step by step, also within a tie, in whatever order sort leaves them. Equal scores are
# one step: with all scores equal the value is not half of 1 - rate but depends on the order.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs both classes and a rate in [0, 1)")
    low = min_true_positive_rate
    hits = positive[scores.argsort(descending=True, stable=True)].tolist()
    found, spared, area = 0, N, 0.0
    for hit in hits:
        if not hit:
            spared -= 1
            continue
        left, right = max(found / P, low), (found + 1) / P
        if right > left:
            area += (right - left) * spared / N
        found += 1
    return area / (1 - low)


# %% wrong: the curve starts at the first point in reach
# Only points with a true positive rate of at least the given one are kept; the piece of the line from the rate to the
# first of them is lost. Shows where no threshold meets the rate exactly: three positives and a rate of 0.5.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1 or positive.all() or not positive.any():
        raise ValueError("needs a positive, a negative and a rate from 0 to below 1")
    points = [(0.0, 1.0)]
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        tpr = passes[positive].double().mean().item()
        tnr = (~passes[~positive]).double().mean().item()
        points.append((tpr, tnr))
    points = [(x, y) for x, y in points if x >= min_true_positive_rate]
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))
    return area / (1 - min_true_positive_rate)


# %% wrong: the mean of the points
# Averages the true negative rates of the thresholds in reach, one weight each, and not the height over the true
# positive rate. Shows where steps differ: several negatives between two positives count several times.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1 or positive.all() or not positive.any():
        raise ValueError("needs a positive, a negative and a rate from 0 to below 1")
    heights = []
    for threshold in scores.unique():
        passes = scores >= threshold
        if passes[positive].double().mean() >= min_true_positive_rate:
            heights.append((~passes)[~positive].double().mean())
    return torch.stack(heights).mean().item()


# %% wrong: a rate of one is let through
# The check refuses rates above 1, not 1 itself, and the width is zero: ZeroDivisionError in place of ValueError for
# min_true_positive_rate = 1.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if low < 0 or low > 1:
        raise ValueError("the rate must lie between 0 and 1")
    if positive.all() or not positive.any():
        raise ValueError("needs a positive and a negative")
    P, N = int(positive.sum()), int((~positive).sum())
    area, tpr, tnr = 0.0, 0.0, 1.0
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        x = int((passes & positive).sum()) / P
        y = 1 - int((passes & ~positive).sum()) / N
        if x > low:
            x0, y0 = tpr, tnr
            if x0 < low:
                y0 = y0 + (y - y0) * (low - x0) / (x - x0)
                x0 = low
            area += (x - x0) * (y0 + y) / 2
        tpr, tnr = x, y
    return area / (1 - low)


# %% correct: exact fractions, step by step


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    from fractions import Fraction
    from itertools import groupby

    ranked = sorted(zip(scores.tolist(), positive.tolist(), strict=True), key=lambda s: -s[0])
    all_positives = sum(is_positive for _, is_positive in ranked)
    all_negatives = len(ranked) - all_positives
    if not all_positives or not all_negatives:
        raise ValueError("a positive and a negative are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError(f"the rate must be in [0, 1), got {min_true_positive_rate}")
    low, area = Fraction(min_true_positive_rate), Fraction(0)
    x, y = Fraction(0), Fraction(1)
    for _, together in groupby(ranked, key=lambda s: s[0]):
        group = [is_positive for _, is_positive in together]
        new_x = x + Fraction(sum(group), all_positives)
        new_y = y - Fraction(len(group) - sum(group), all_negatives)
        start = max(x, low)
        if new_x > start:
            height_there = y + (new_y - y) * (start - x) / (new_x - x)
            area += (new_x - start) * (height_there + new_y) / 2
        x, y = new_x, new_y
    return float(area / (1 - low))


# %% correct: from the positives' side, all groups of equal scores at once


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    yes = positive.bool()
    if yes.all() or not yes.any() or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs a positive, a negative, and a rate of at least 0 and below 1")
    low = float(min_true_positive_rate)
    kinds, group = torch.unique(-scores.detach().double(), return_inverse=True)  # highest score first
    hits = torch.bincount(group[yes], minlength=len(kinds)).double() / yes.sum()
    misses = torch.bincount(group[~yes], minlength=len(kinds)).double() / (~yes).sum()
    right = hits.cumsum(0)
    left = right - hits
    top = 1 - (misses.cumsum(0) - misses)  # the height where the group begins
    # the part of each group's width that lies above the rate, and the height in its middle
    width = (right - left.clamp(min=low)).clamp(min=0)
    safe = torch.where(hits > 0, hits, 1.0)
    middle = top - misses * (hits - width / 2) / safe
    return ((width * middle).sum() / (1 - low)).item()
