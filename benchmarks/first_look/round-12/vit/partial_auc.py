# %% wrong: equal scores one after the other
# Sorts and takes one step a score. Equal scores pass in the order in which they happen to stand, not together: it shows where a
# positive and a negative have the same score.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    n_pos = int(positive.sum())
    n_neg = len(positive) - n_pos
    if n_pos == 0 or n_neg == 0:
        raise ValueError("a positive and a negative are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate has to be in [0, 1)")
    order = scores.argsort(descending=True)
    area, found, passed = 0.0, 0, 0
    for is_positive in positive[order].tolist():
        if is_positive:
            low = max(found / n_pos, min_true_positive_rate)
            found += 1
            area += max(found / n_pos - low, 0.0) * (1 - passed / n_neg)
        else:
            passed += 1
    return area / (1 - min_true_positive_rate)


# %% wrong: thresholds only at the positives' scores
# Looks only at the thresholds where the true positive rate grows and joins those points. The drops straight down between them become
# slopes: it shows where a negative stands between two positives.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = min_true_positive_rate
    if not positive.any() or positive.all() or rate < 0 or rate >= 1:
        raise ValueError("needs both classes and a rate from 0 to below 1")
    points = [(0.0, 1.0)]
    for threshold in sorted(set(scores[positive].tolist()), reverse=True):
        passed = scores >= threshold
        tpr = (passed & positive).sum().item() / positive.sum().item()
        tnr = (~passed & ~positive).sum().item() / (~positive).sum().item()
        points.append((tpr, tnr))
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= rate:
            continue
        if x0 < rate:
            y0 += (y1 - y0) * (rate - x0) / (x1 - x0)
            x0 = rate
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - rate)


# %% wrong: the height before the border
# Begins the strip at the height of the last point before the least rate, not at that of the line there. It shows where equal scores
# make the line slope across the rate: all scores equal and 0.8 gives 0.5 in place of 0.1.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError(f"a rate of {min_true_positive_rate}")
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0:
        raise ValueError("at least one positive and one negative")
    xs, ys = [0.0], [1.0]
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        xs.append((passes & positive).sum().item() / num_positive)
        ys.append(1 - (passes & ~positive).sum().item() / num_negative)
    before = max(i for i, x in enumerate(xs) if x <= min_true_positive_rate)
    xs = [min_true_positive_rate] + xs[before + 1 :]
    ys = ys[before:]
    area = torch.trapezoid(torch.tensor(ys), torch.tensor(xs)).item()
    return area / (1 - min_true_positive_rate)


# %% wrong: a rate of 1 is let through
# Refuses rates outside 0 to 1 but not 1 itself, where the strip has no width: a ZeroDivisionError in place of the ValueError.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if min_true_positive_rate < 0 or min_true_positive_rate > 1:
        raise ValueError("the rate is from 0 to 1")
    if positive.all() or not positive.any():
        raise ValueError("positives and negatives are both needed")
    P, N = positive.sum().item(), (~positive).sum().item()
    least = min_true_positive_rate
    area, x0, y0 = 0.0, 0.0, 1.0
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passed = scores >= threshold
        x1 = (passed & positive).sum().item() / P
        y1 = (~passed & ~positive).sum().item() / N
        if x1 > least:
            left = max(x0, least)
            height = y0 + (y1 - y0) * (left - x0) / (x1 - x0) if x1 > x0 else y0
            area += (x1 - left) * (height + y1) / 2
        x0, y0 = x1, y1
    return area / (1 - least)


# %% correct: how long each negative is spared

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    """The mean over the negatives: for what part of the strip is each still spared?"""
    rate = min_true_positive_rate
    if rate < 0 or rate >= 1:
        raise ValueError("the least rate is at least 0 and less than 1")
    good, bad = scores[positive].unsqueeze(0), scores[~positive].unsqueeze(1)
    if good.numel() == 0 or bad.numel() == 0:
        raise ValueError("no positive or no negative")
    # a negative is spared whole up to `start`, then less and less until `end`
    start = (good > bad).double().mean(dim=1)
    end = (good >= bad).double().mean(dim=1)
    whole = (start - rate).clamp(min=0)
    sloping = (end - start.clamp(min=rate)).clamp(min=0)
    length = (end - start).where(end > start, 1.0)
    spared = whole + sloping.square() / (2 * length)
    return (spared.mean() / (1 - rate)).item()


# %% correct: in fractions, from the lowest score up

from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = Fraction(min_true_positive_rate)
    marks = sorted(zip(scores.tolist(), positive.tolist()))
    P = sum(mark for _, mark in marks)
    N = len(marks) - P
    if P == 0 or N == 0:
        raise ValueError("a positive and a negative, please")
    if not 0 <= least < 1:
        raise ValueError("0 <= rate < 1")
    # backwards on the curve, from (1, 0) to where the strip begins
    found, spared, area = Fraction(1), Fraction(0), Fraction(0)
    for _, group in groupby(marks, key=lambda pair: pair[0]):
        kinds = [mark for _, mark in group]
        new_found = found - Fraction(sum(kinds), P)
        new_spared = spared + Fraction(len(kinds) - sum(kinds), N)
        if new_found < least:
            part = (found - least) / (found - new_found)
            area += (found - least) * (2 * spared + part * (new_spared - spared)) / 2
            break
        area += (found - new_found) * (spared + new_spared) / 2
        found, spared = new_found, new_spared
    return float(area / (1 - least))
