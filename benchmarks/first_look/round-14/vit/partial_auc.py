# %% wrong: equal scores one after another
# Each picture is a step of its own, in the order of the sort. Where a positive and a negative have
# the same score the area depends on which stood first: all scores equal gives no diagonal.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if positive.all() or not positive.any() or not 0 <= low < 1:
        raise ValueError("a positive and a negative are needed, and a rate in [0, 1)")
    hits = positive[scores.argsort(descending=True, stable=True)].double()
    found = F.pad(hits.cumsum(0) / hits.sum(), (1, 0))
    spared = 1 - F.pad((1 - hits).cumsum(0) / (1 - hits).sum(), (1, 0))
    area = 0.0
    points = list(zip(found.tolist(), spared.tolist()))
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            x0, y0 = low, y0 + (y1 - y0) * (low - x0) / (x1 - x0)
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)


# %% wrong: the curve begins at the first point past the rate
# Points below the least rate are dropped, and no point is put on the line at the rate itself: the
# strip up to the first one is missing. Right where a threshold meets the rate exactly.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if positive.all() or not positive.any() or not 0 <= low < 1:
        raise ValueError("a positive and a negative are needed, and a rate in [0, 1)")
    x, y = [0.0], [1.0]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        x.append(passes[positive].double().mean().item())
        y.append(1 - passes[~positive].double().mean().item())
    kept = [(a, b) for a, b in zip(x, y) if a >= low]
    area = sum((c - a) * (b + d) / 2 for (a, b), (c, d) in zip(kept, kept[1:]))
    return area / (1 - low)


# %% wrong: no point for "nothing passes"
# The curve starts at the highest threshold instead of at (0, 1). Shows where the best score is
# shared by more than the least rate's part of the positives: min rate 0, or all scores equal (0.0
# in place of a half).

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if positive.all() or not positive.any() or not 0 <= low < 1:
        raise ValueError("a positive and a negative are needed, and a rate in [0, 1)")
    thresholds = scores.unique().flip(0)
    passes = scores >= thresholds.unsqueeze(1)
    x = passes[:, positive].double().mean(dim=1).tolist()
    y = (1 - passes[:, ~positive].double().mean(dim=1)).tolist()
    area = 0.0
    for x0, y0, x1, y1 in zip(x, y, x[1:], y[1:]):
        if x1 <= low or x1 == x0:
            continue
        start = max(x0, low)
        y_start = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
        area += (x1 - start) * (y_start + y1) / 2
    return area / (1 - low)


# %% wrong: a mean over a hundred rates
# The height is looked up at 101 evenly spaced rates and averaged: near the area, but only near. The
# steps fall between the rates, so a curve of few positives is off by up to some hundredths.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if positive.all() or not positive.any() or not 0 <= low < 1:
        raise ValueError("a positive and a negative are needed, and a rate in [0, 1)")
    thresholds = scores.unique().flip(0)
    passes = scores >= thresholds.unsqueeze(1)
    x = [0.0, *passes[:, positive].double().mean(dim=1).tolist()]
    y = [1.0, *(1 - passes[:, ~positive].double().mean(dim=1)).tolist()]

    def height(rate: float) -> float:
        for x0, y0, x1, y1 in zip(x, y, x[1:], y[1:]):
            if x0 <= rate <= x1 and x1 > x0:
                return y0 + (y1 - y0) * (rate - x0) / (x1 - x0)
        return y[-1]

    rates = [low + (1 - low) * n / 100 for n in range(101)]
    return sum(height(rate) for rate in rates) / 101


# %% correct: exact fractions

from collections import Counter
from fractions import Fraction


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    is_hit = positive.tolist()
    hits = Counter(s for s, hit in zip(scores.tolist(), is_hit) if hit)
    others = Counter(s for s, hit in zip(scores.tolist(), is_hit) if not hit)
    if not hits or not others or not 0 <= min_true_positive_rate < 1:
        raise ValueError("positives, negatives and a rate from 0 up to, but not, 1")
    low = Fraction(min_true_positive_rate)
    x, y, area = Fraction(0), Fraction(1), Fraction(0)
    for score in sorted({*hits, *others}, reverse=True):
        dx = Fraction(hits[score], hits.total())
        dy = Fraction(others[score], others.total())
        inside = min(dx, max(Fraction(0), x + dx - low))  # how much of this step counts
        if inside:
            slope = dy / dx
            area += inside * (y - dy + slope * inside / 2)
        x, y = x + dx, y - dy
    return float(area / (1 - low))


# %% correct: all segments at once, cut at the rate

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    positive = positive.bool()
    num_hits, num_others = positive.sum().item(), (~positive).sum().item()
    if not (num_hits and num_others) or min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError(f"{num_hits=}, {num_others=}, {min_true_positive_rate=}")
    levels, level = scores.unique(return_inverse=True)
    in_level = torch.zeros(2, len(levels), dtype=torch.double, device=scores.device)
    in_level[0].index_add_(0, level, positive.double())
    in_level[1].index_add_(0, level, (~positive).double())
    step = in_level.flip(1)  # the highest score first
    end = step.cumsum(dim=1)
    right, below = end[0] / num_hits, 1 - end[1] / num_others
    width, drop = step[0] / num_hits, step[1] / num_others
    counted = torch.minimum(width, (right - min_true_positive_rate).clamp(min=0))
    share = torch.where(width > 0, counted / width.clamp(min=1e-300), 0.0)
    area = (counted * (below + drop * share / 2)).sum()
    return area.item() / (1 - min_true_positive_rate)
