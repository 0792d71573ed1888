# %% wrong: the other axis
# The mean true positive rate where at least that share of negatives is spared: the strip lies on the wrong side. Shows
# for most rankings where the rate is above 0.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0:
        raise ValueError("a positive and a negative are needed")
    points = [(0.0, 0.0)]  # false positive rate, true positive rate
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passed = scores >= threshold
        points.append(((passed & ~positive).sum().item() / num_negative, (passed & positive).sum().item() / num_positive))
    limit, area = 1 - min_true_positive_rate, 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 >= limit:
            break
        if x1 > limit:
            x1, y1 = limit, y0 + (y1 - y0) * (limit - x0) / (x1 - x0)
        area += (x1 - x0) * (y0 + y1) / 2
    return area / limit


# %% wrong: equal scores one by one
# Every sample is a point of its own, in the order of the sort. Shows where a positive and a negative have equal scores.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if low < 0 or low >= 1:
        raise ValueError("the rate must be from 0 to below 1")
    if positive.all() or not positive.any():
        raise ValueError("a positive and a negative are needed")
    ranked = positive[scores.argsort(descending=True, stable=True)].double()
    found = F.pad(ranked.cumsum(0) / ranked.sum(), (1, 0))
    spared = 1 - F.pad((1 - ranked).cumsum(0) / (1 - ranked).sum(), (1, 0))
    area = 0.0
    for i in range(len(ranked)):
        left, right = max(found[i].item(), low), max(found[i + 1].item(), low)
        area += (right - left) * (spared[i] + spared[i + 1]).item() / 2
    return area / (1 - low)


# %% wrong: only whole segments
# The points at or above the rate, and nothing of the segment that the rate cuts. Shows where no point lies at the rate:
# three positives and a rate of 0.5.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    if not positive.any() or not (~positive).any():
        raise ValueError("a positive and a negative are needed")
    found, spared = [0.0], [1.0]
    for threshold in scores.unique().flip(0):
        passed = scores >= threshold
        found.append((passed & positive).sum().item() / positive.sum().item())
        spared.append(1 - (passed & ~positive).sum().item() / (~positive).sum().item())
    found, spared = torch.tensor(found, dtype=torch.float64), torch.tensor(spared, dtype=torch.float64)
    kept = found >= min_true_positive_rate
    return (torch.trapezoid(spared[kept], found[kept]) / (1 - min_true_positive_rate)).item()


# %% wrong: no point where nothing passes
# The curve begins at the highest score, so that the first segment is missing. Shows where the rate is below the true
# positive rate of the highest score: one score for all gives 0.


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    positives, negatives = scores[positive], scores[~positive]
    if len(positives) == 0 or len(negatives) == 0:
        raise ValueError("a positive and a negative are needed")
    thresholds = sorted(set(scores.tolist()), reverse=True)
    curve = [
        ((positives >= threshold).double().mean().item(), (negatives < threshold).double().mean().item())
        for threshold in thresholds
    ]
    area = 0.0
    for (x0, y0), (x1, y1) in zip(curve[:-1], curve[1:], strict=True):
        if x1 <= min_true_positive_rate:
            continue
        if x0 < min_true_positive_rate:
            y0 += (y1 - y0) * (min_true_positive_rate - x0) / (x1 - x0)
            x0 = min_true_positive_rate
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - min_true_positive_rate)


# %% correct: exact fractions, group by group

from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    all_positive = int(positive.sum())
    all_negative = len(positive) - all_positive
    if not (all_positive and all_negative):
        raise ValueError("a positive and a negative are needed")
    low = Fraction(float(min_true_positive_rate)) * all_positive  # counted in positives
    area, found, spared = Fraction(0), 0, all_negative
    ranking = sorted(zip(scores.tolist(), positive.tolist(), strict=True), reverse=True)
    for _, group in groupby(ranking, key=lambda pair: pair[0]):
        members = [flag for _, flag in group]
        more, fewer = sum(members), len(members) - sum(members)
        if more and found + more > low:
            cut = max(low - found, Fraction(0)) / more  # how much of this step lies below the rate
            high = spared - fewer * cut
            area += more * (1 - cut) * (high + spared - fewer) / 2
        found, spared = found + more, spared - fewer
    return float(area / all_negative / (all_positive - low))


# %% correct: each positive has a strip of its own


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = float(min_true_positive_rate)
    if not (rate >= 0.0 and rate < 1.0):
        raise ValueError("the rate must be from 0 to below 1")
    if positive.sum() == 0 or (~positive).sum() == 0:
        raise ValueError("a positive and a negative are needed")
    ups, downs = scores[positive].sort(descending=True).values, scores[~positive]
    count = len(ups)
    lower = (downs.unsqueeze(0) < ups.unsqueeze(1)).sum(dim=1).double()  # spared at the end of the group's step
    ties = (downs.unsqueeze(0) == ups.unsqueeze(1)).sum(dim=1).double()
    group_size = (ups.unsqueeze(0) == ups.unsqueeze(1)).sum(dim=1).double()
    before = (ups.unsqueeze(0) > ups.unsqueeze(1)).sum(dim=1).double()  # positives above the whole group
    start = torch.arange(count, dtype=torch.float64, device=ups.device).clamp(min=rate * count)
    end = torch.arange(1, count + 1, dtype=torch.float64, device=ups.device)
    width = (end - start).clamp(min=0)
    middle = (start + end) / 2
    height = lower + ties * (1 - (middle - before) / group_size)
    return ((width * height).sum() / width.sum() / len(downs)).item()
