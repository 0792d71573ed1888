# %% wrong: every sample is a step of its own
# Equal scores are not grouped: the order in which ties happen to be sorted decides the area.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs positives, negatives and a rate from 0 to below 1")
    order = scores.argsort(descending=True, stable=True)
    x, y, area = 0.0, 1.0, 0.0
    found = missed = 0
    for is_positive in positive[order].tolist():
        if is_positive:
            found += 1
        else:
            missed += 1
        new_x, new_y = found / P, 1 - missed / N
        if new_x > min_true_positive_rate and new_x > x:
            left = max(x, min_true_positive_rate)
            y_left = y + (new_y - y) * (left - x) / (new_x - x)
            area += (new_x - left) * (y_left + new_y) / 2
        x, y = new_x, new_y
    return area / (1 - min_true_positive_rate)


# %% wrong: only whole segments above the rate
# Points below the least rate are dropped and no point is put at the rate itself, so the strip up to the first point is missing.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all():
        raise ValueError("there must be a positive and a negative")
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError("the rate must be from 0 to below 1")
    thresholds = scores.unique().flip(0)
    passed = scores >= thresholds[:, None]
    tpr = (passed & positive).sum(dim=1).double() / positive.sum()
    tnr = 1 - (passed & ~positive).sum(dim=1).double() / (~positive).sum()
    tpr = torch.cat([torch.zeros(1, dtype=torch.float64), tpr])
    tnr = torch.cat([torch.ones(1, dtype=torch.float64), tnr])
    keep = tpr >= min_true_positive_rate
    return (torch.trapezoid(tnr[keep], tpr[keep]) / (1 - min_true_positive_rate)).item()


# %% wrong: steps in the place of straight lines
# The area is a sum of rectangles with the height of each right end, so that ties give 0 instead of a half.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    r = min_true_positive_rate
    num_pos = positive.sum().item()
    num_neg = len(positive) - num_pos
    if num_pos == 0 or num_neg == 0:
        raise ValueError("one class is missing")
    if not 0 <= r < 1:
        raise ValueError("bad rate")
    area = 0.0
    last = 0.0
    for t in sorted(set(scores.tolist()), reverse=True):
        above = scores >= t
        tpr = (above & positive).sum().item() / num_pos
        tnr = 1 - (above & ~positive).sum().item() / num_neg
        if tpr > r:
            area += (tpr - max(last, r)) * tnr
        last = tpr
    return area / (1 - r)


# %% wrong: a rate of one is let through
# The check takes 0 <= rate <= 1, so a rate of exactly one ends in a ZeroDivisionError and not in a ValueError.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if not 0.0 <= low <= 1.0:
        raise ValueError("rate must be between 0 and 1")
    wanted, others = scores[positive].tolist(), scores[~positive].tolist()
    if len(wanted) == 0 or len(others) == 0:
        raise ValueError("needs positives and negatives")
    points = [(0.0, 1.0)]
    for t in sorted(set(wanted + others), reverse=True):
        found = sum(s >= t for s in wanted) / len(wanted)
        spared = sum(s < t for s in others) / len(others)
        points.append((found, spared))
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            x0, y0 = low, y0 + (y1 - y0) * (low - x0) / (x1 - x0)
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1.0 - low)


# %% wrong: pairs of the hardest positives
# The share of pairs in the right order, over the positives with the lowest scores. That holds only where (1 - rate) times the positives is a whole number; else it is rounded, even to none.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("rate must be from 0 to below 1")
    if positive.sum() == 0 or (~positive).sum() == 0:
        raise ValueError("need at least one positive and one negative")
    ones = scores[positive].sort().values
    zeros = scores[~positive]
    count = round((1 - min_true_positive_rate) * len(ones))
    hardest = ones[:count].unsqueeze(1)
    wins = (hardest > zeros).float() + 0.5 * (hardest == zeros).float()
    return wins.mean().item()


# %% correct: with fractions along the curve

from fractions import Fraction


def _corners(scores, positive):
    groups = {}
    for score, is_positive in zip(scores.tolist(), positive.tolist(), strict=True):
        groups.setdefault(score, [0, 0])[0 if is_positive else 1] += 1
    positives = sum(p for p, _ in groups.values())
    negatives = sum(n for _, n in groups.values())
    if not positives or not negatives:
        raise ValueError("there has to be a positive and a negative")
    x, y = Fraction(0), Fraction(1)
    yield x, y
    for score in sorted(groups, reverse=True):
        x += Fraction(groups[score][0], positives)
        y -= Fraction(groups[score][1], negatives)
        yield x, y


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not (min_true_positive_rate >= 0 and min_true_positive_rate < 1):
        raise ValueError(f"the rate must be at least 0 and below 1, got {min_true_positive_rate}")
    corners = list(_corners(scores, positive))
    least = Fraction(min_true_positive_rate)
    area = Fraction(0)
    for i in range(1, len(corners)):
        (left, high), (right, low) = corners[i - 1], corners[i]
        if right > max(left, least):
            start = max(left, least)
            at_start = high + (low - high) * (start - left) / (right - left)
            area += (right - start) * (at_start + low) / 2
    return float(area / (1 - least))


# %% correct: all segments at once, cut at the rate

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = float(min_true_positive_rate)
    hits = positive.bool()
    total = int(hits.sum()), int((~hits).sum())
    if 0 in total:
        raise ValueError("scores of both kinds are needed")
    if rate < 0 or not rate < 1:
        raise ValueError("the least rate lies from 0 to below 1")
    levels, level = torch.unique(scores, return_inverse=True)  # ascending
    both = []
    for chosen, count in ((hits, total[0]), (~hits, total[1])):
        histogram = torch.bincount(level[chosen], minlength=len(levels)).flip(0).cumsum(0)
        both.append(F.pad(histogram.double() / count, (1, 0)))
    found, spared = both[0], 1 - both[1]
    x0, x1, y0, y1 = found[:-1], found[1:], spared[:-1], spared[1:]
    begin = torch.maximum(x0, torch.full_like(x0, rate)).minimum(x1)
    part = torch.where(x1 > x0, (begin - x0) / (x1 - x0).clamp(min=1e-300), torch.zeros_like(x0))
    area = ((x1 - begin) * (y0 + part * (y1 - y0) + y1) / 2).sum()
    return area.item() / (1 - rate)
