# %% wrong: the first point at the rate is the one at the top
# The strip begins at the rate with the height that np.interp gives. Where the curve falls straight down
# at just that rate, the next piece should begin at the foot of the fall; here it begins too high.

import numpy as np


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0:
        raise ValueError("a positive and a negative are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    tpr, tnr = [0.0], [1.0]
    for threshold in scores.unique().flip(0):
        passed = scores >= threshold
        tpr.append(float((passed & positive).sum()) / P)
        tnr.append(1 - float((passed & ~positive).sum()) / N)
    first = next(i for i, rate in enumerate(tpr) if rate >= min_true_positive_rate)
    if tpr[first] == min_true_positive_rate:
        height = tnr[first]
    else:
        share = (min_true_positive_rate - tpr[first - 1]) / (tpr[first] - tpr[first - 1])
        height = tnr[first - 1] + share * (tnr[first] - tnr[first - 1])
    x = [min_true_positive_rate] + [rate for rate in tpr if rate > min_true_positive_rate]
    y = [height] + [spared for rate, spared in zip(tpr, tnr) if rate > min_true_positive_rate]
    return float(np.trapezoid(y, x) / (1 - min_true_positive_rate))


# %% wrong: equal scores pass one after the other
# After sorting each example is a step of its own. Equal scores are then counted in the order in which
# they happen to stand, and with all scores equal the area may be anything.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all():
        raise ValueError("there must be positives and negatives")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("no such rate")
    order = scores.argsort(descending=True, stable=True)
    hit = positive[order].double()
    found = F.pad(hit.cumsum(0) / hit.sum(), (1, 0))
    spared = 1 - F.pad((1 - hit).cumsum(0) / (1 - hit).sum(), (1, 0))
    low = min_true_positive_rate
    area = 0.0
    for i in range(len(hit)):
        if found[i + 1] > found[i]:
            begin = max(low, found[i].item())
            area += max(0.0, found[i + 1].item() - begin) * spared[i].item()
    return area / (1 - low)


# %% wrong: the strip begins at the next point
# Only the points at or beyond the least rate are joined. Where the rate lies between two points, the
# piece from the rate to the first of them is missing from the area, and the width is that of the whole.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    positives, negatives = positive.sum().item(), (~positive).sum().item()
    if positives == 0 or negatives == 0:
        raise ValueError("needs a positive and a negative")
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError("the rate lies from 0 to below 1")
    points = [(0.0, 1.0)]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        points.append(
            ((passes & positive).sum().item() / positives, 1 - (passes & ~positive).sum().item() / negatives)
        )
    points = torch.tensor([point for point in points if point[0] >= min_true_positive_rate], dtype=torch.float64)
    area = torch.trapezoid(points[:, 1], points[:, 0])
    return (area / (1 - min_true_positive_rate)).item()


# %% wrong: a hundred thresholds from 0 to 1
# The thresholds are 101 even steps from 0 to 1, as if scores were always probabilities. Scores in
# between two steps pass together, and negative or large ones, such as log-probabilities, all alike.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if positive.sum() == 0 or (~positive).sum() == 0:
        raise ValueError("needs both kinds")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("rate must be in [0, 1)")
    r = min_true_positive_rate
    points = [(0.0, 1.0)]
    for threshold in torch.linspace(1, 0, 101):
        passes = scores >= threshold
        points.append((passes[positive].double().mean().item(), 1 - passes[~positive].double().mean().item()))
    points.append((1.0, 0.0))
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= max(x0, r):
            continue
        if x0 < r:
            y0 += (y1 - y0) * (r - x0) / (x1 - x0)
            x0 = r
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - r)


# %% wrong: a least rate of zero is refused
# 0 < rate < 1 is asked for, so the area under the whole curve cannot be had: "from 0 to below 1" takes
# in the 0.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = min_true_positive_rate
    if not 0 < rate < 1:
        raise ValueError(f"the rate must lie between 0 and 1, got {rate}")
    if positive.all() or not positive.any():
        raise ValueError("needs at least one positive and one negative")
    area, x0, y0 = 0.0, 0.0, 1.0
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        x1 = passes[positive].double().mean().item()
        y1 = (~passes)[~positive].double().mean().item()
        if x1 > rate and x1 > x0:
            begin = max(x0, rate)
            height = y0 + (y1 - y0) * (begin - x0) / (x1 - x0)
            area += (x1 - begin) * (height + y1) / 2
        x0, y0 = x1, y1
    return area / (1 - rate)


# %% correct: in exact fractions

from fractions import Fraction


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the least rate is from 0 to below 1")
    tally = {}
    for score, is_positive in zip(scores.tolist(), positive.tolist(), strict=True):
        pair = tally.setdefault(score, [0, 0])
        pair[0 if is_positive else 1] += 1
    positives = sum(pair[0] for pair in tally.values())
    negatives = sum(pair[1] for pair in tally.values())
    if positives * negatives == 0:
        raise ValueError("there has to be a positive and a negative")
    least = Fraction(min_true_positive_rate)
    area, found, spared = Fraction(0), Fraction(0), Fraction(1)
    for score in sorted(tally, reverse=True):
        more, fewer = Fraction(tally[score][0], positives), Fraction(tally[score][1], negatives)
        inside = min(more, max(Fraction(0), found + more - least))  # how much of this piece lies in the strip
        if inside > 0:
            slope = fewer / more
            area += inside * (spared - fewer + slope * inside / 2)
        found, spared = found + more, spared - fewer
    return float(area / (1 - least))


# %% correct: all pieces of the curve clipped at once

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = float(min_true_positive_rate)
    if not (least >= 0.0 and least < 1.0):
        raise ValueError(f"{least} is not from 0 to below 1")
    number = positive.to(torch.bool).sum()
    if number == 0 or number == positive.numel():
        raise ValueError("positives and negatives are both needed")
    groups, member = torch.unique(scores.detach(), return_inverse=True)
    member = len(groups) - 1 - member  # 0 for the highest score
    hits = torch.bincount(member[positive], minlength=len(groups)).double()
    others = torch.bincount(member[~positive], minlength=len(groups)).double()
    width, drop = hits / hits.sum(), others / others.sum()
    x_end, lost_end = hits.cumsum(0) / hits.sum(), others.cumsum(0) / others.sum()
    kept = torch.minimum((x_end - least).clamp(min=0), width)
    share = torch.where(width > 0, kept / width, 0.0)
    lost = (kept * (lost_end - drop * share / 2)).sum()  # the area over the curve
    return 1.0 - lost.item() / (1.0 - least)
