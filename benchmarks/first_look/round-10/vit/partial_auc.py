# %% wrong: equal scores go one after the other
# Each score is a step of its own, in the order of the sort.
# Promise: equal scores pass together. Shows where a positive and a negative have the same score; all equal with the positives in front give 1.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = min_true_positive_rate
    if not 0 <= rate < 1:
        raise ValueError("the rate must be from 0 to below 1")
    if positive.all() or not positive.any():
        raise ValueError("a positive and a negative are needed")
    order = scores.argsort(descending=True, stable=True)
    is_positive = positive[order].double()
    found = F.pad(is_positive.cumsum(0) / is_positive.sum(), (1, 0))
    spared = F.pad(1 - (1 - is_positive).cumsum(0) / (1 - is_positive).sum(), (1, 0), value=1.0)
    area = 0.0
    for n in range(len(scores)):
        width = found[n + 1].item() - max(found[n].item(), rate)
        if width > 0:  # a step to the right: the height stays
            area += width * spared[n].item()
    return area / (1 - rate)


# %% wrong: the least rate cuts no line
# Points left of the least rate are moved onto it, at the height that they have.
# Promise: straight lines join the points, the strip begins at the rate. Shows where a step of equal scores goes over the rate: all equal give 1/2.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0:
        raise ValueError("needs a positive and a negative")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate is not from 0 to below 1")
    found, spared = [0.0], [1.0]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        found.append(int((passes & positive).sum()) / num_positive)
        spared.append(int((~passes & ~positive).sum()) / num_negative)
    x = torch.tensor(found, dtype=torch.float64).clamp(min=min_true_positive_rate)
    y = torch.tensor(spared, dtype=torch.float64)
    return torch.trapezoid(y, x).item() / (1 - min_true_positive_rate)


# %% wrong: scores in float32
# The scores are made float32 before they are compared.
# Promise: each distinct score is a threshold. Shows for float64 scores that differ in the tenth digit, or integers above 2**24: they become equal.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = min_true_positive_rate
    if not 0.0 <= least < 1.0 or positive.all() or (~positive).all():
        raise ValueError("a rate from 0 to below 1, a positive and a negative")
    values, place = scores.float().unique(return_inverse=True)
    hits = torch.bincount(place[positive], minlength=len(values)).flip(0).double()
    misses = torch.bincount(place[~positive], minlength=len(values)).flip(0).double()
    x = [0.0, *(hits.cumsum(0) / hits.sum()).tolist()]
    y = [1.0, *(1 - misses.cumsum(0) / misses.sum()).tolist()]
    area = 0.0
    for x0, x1, y0, y1 in zip(x, x[1:], y, y[1:]):
        if x1 > max(x0, least):
            start = max(x0, least)
            at_start = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
            area += (x1 - start) * (at_start + y1) / 2
    return area / (1 - least)


# %% wrong: a rate of one is let through
# The rate is refused below 0 and above 1.
# Promise: ValueError where the rate is not from 0 to BELOW 1. Shows for min_true_positive_rate = 1.0: ZeroDivisionError.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if min_true_positive_rate < 0 or min_true_positive_rate > 1:
        raise ValueError("the rate must lie between 0 and 1")
    up, down = scores[positive], scores[~positive]
    if len(up) == 0 or len(down) == 0:
        raise ValueError("both kinds are needed")
    points = [(0.0, 1.0)]
    for threshold in scores.unique().flip(0):
        points.append(((up >= threshold).double().mean().item(), (down < threshold).double().mean().item()))
    area, r = 0.0, min_true_positive_rate
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= r or x1 == x0:
            continue
        left = max(x0, r)
        y_left = y0 + (left - x0) / (x1 - x0) * (y1 - y0)
        area += (x1 - left) * (y_left + y1) / 2
    return area / (1 - r)


# %% correct: exact fractions, step by step

from fractions import Fraction


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the least rate must be from 0 to below 1")
    rows = sorted(zip(scores.tolist(), positive.tolist(), strict=True), reverse=True)
    num_positive = sum(is_positive for _, is_positive in rows)
    num_negative = len(rows) - num_positive
    if num_positive == 0 or num_negative == 0:
        raise ValueError("there must be a positive and a negative")
    least, area = Fraction(min_true_positive_rate), Fraction(0)
    x, y, n = Fraction(0), Fraction(1), 0
    while n < len(rows):
        same = [is_positive for score, is_positive in rows[n:] if score == rows[n][0]]
        n += len(same)
        next_x = x + Fraction(sum(same), num_positive)
        next_y = y - Fraction(len(same) - sum(same), num_negative)
        if next_x > least:
            begin = max(x, least)
            if next_x > begin:
                height = y + (next_y - y) * (begin - x) / (next_x - x)
                area += (next_x - begin) * (height + next_y) / 2
        x, y = next_x, next_y
    return float(area / (1 - least))


# %% correct: the height at the middle of each stretch, without a loop

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    rate = float(min_true_positive_rate)
    positive = positive.bool()
    if not (rate >= 0 and rate < 1):
        raise ValueError("the rate must be from 0 to below 1")
    if bool(positive.all()) or not bool(positive.any()):
        raise ValueError("needs at least one positive and one negative")
    _, group = torch.unique(scores, return_inverse=True)
    group = group.max() - group  # 0 for the highest score
    size = int(group.max()) + 1
    counts = torch.zeros(2, size, dtype=torch.float64, device=scores.device)
    counts.index_put_((positive.long(), group), counts.new_ones(()), accumulate=True)
    share = counts / counts.sum(dim=1, keepdim=True)
    right = share[1].cumsum(0)
    right[counts[1].cumsum(0) == counts[1].sum()] = 1.0
    left = torch.cat([right.new_zeros(1), right[:-1]])
    above = 1 - (share[0].cumsum(0) - share[0])  # the height at the left end
    begin = left.clamp(min=rate)
    width = (right - begin).clamp(min=0)
    part = torch.where(width > 0, ((begin + right) / 2 - left) / (right - left).clamp(min=1e-300), 0.0)
    middle = above - share[0] * part
    return ((width * middle).sum() / width.sum()).item()
