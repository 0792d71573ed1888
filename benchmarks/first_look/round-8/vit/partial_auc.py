# %% wrong: equal scores pass one after the other
# The samples are sorted and each is a step of its own, so that within equal scores the order of the sort decides. Shows
# where a positive and a negative have the same score (all equal: the result depends on their order).

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must lie in [0, 1)")
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0:
        raise ValueError("a positive and a negative are needed")
    fell = positive[scores.argsort(descending=True, stable=True)]
    x, y, area = 0.0, 1.0, 0.0
    for is_positive in fell.tolist():
        if is_positive:
            new_x = x + 1 / num_positive
            area += y * max(0.0, new_x - max(x, min_true_positive_rate))
            x = new_x
        else:
            y -= 1 / num_negative
    return area / (1 - min_true_positive_rate)


# %% wrong: cut at the least rate without going down the line
# The true positive rates are clamped to the least one, but the height of the piece that crosses it stays that of its
# left end. Shows where a slanting piece (positives and negatives of one score) crosses the least rate.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("min_true_positive_rate must be from 0 to below 1")
    if positive.all() or not positive.any():
        raise ValueError("both kinds are needed")
    thresholds = scores.unique().flip(0)
    passes = scores >= thresholds[:, None]
    found = (passes & positive).sum(dim=1).double() / positive.sum()
    spared = 1 - (passes & ~positive).sum(dim=1).double() / (~positive).sum()
    found = F.pad(found, (1, 0), value=0.0)
    spared = F.pad(spared, (1, 0), value=1.0)
    area = torch.trapezoid(spared, found.clamp(min=min_true_positive_rate))
    return area.item() / (1 - min_true_positive_rate)


# %% wrong: the curve begins at the highest score
# The point (0, 1), where nothing passes, is left out: the piece up to the first threshold has no area. Shows where the
# highest scores' true positive rate is above the least rate: a perfect ranking with rate 0, or all scores equal.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = min_true_positive_rate
    if not 0 <= least < 1 or positive.all() or not positive.any():
        raise ValueError("no such area")
    points = []
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        points.append((passes[positive].double().mean().item(), 1 - passes[~positive].double().mean().item()))
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= least or x1 == x0:
            continue
        if x0 < least:
            y0 = y0 + (y1 - y0) * (least - x0) / (x1 - x0)
            x0 = least
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - least)


# %% wrong: nobody asks for negatives
# A set without positives and a bad rate are refused, one without negatives is not: it comes to a division by zero and
# returns nan, or an error that is no ValueError.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0.0 <= min_true_positive_rate < 1.0:
        raise ValueError("the rate must be from 0 to below 1")
    if not positive.any():
        raise ValueError("there is no positive")
    levels, group = torch.unique(scores, return_inverse=True)
    per_level = torch.zeros(2, len(levels), dtype=torch.float64, device=scores.device)
    per_level[0].index_add_(0, group, positive.double())
    per_level[1].index_add_(0, group, (~positive).double())
    steps = per_level.flip(1).cumsum(dim=1)
    x = torch.cat([steps.new_zeros(1), steps[0] / positive.sum()])
    y = torch.cat([steps.new_ones(1), 1 - steps[1] / (~positive).sum()])
    area = 0.0
    for i in range(len(levels)):
        low, high = max(x[i].item(), min_true_positive_rate), x[i + 1].item()
        if high > low:
            slope = (y[i + 1] - y[i]).item() / (high - x[i].item())
            at_low = y[i].item() + slope * (low - x[i].item())
            area += (high - low) * (at_low + y[i + 1].item()) / 2
    return area / (1 - min_true_positive_rate)


# %% correct: the mean over pairs, each positive with its share of the strip

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    least = float(min_true_positive_rate)
    if not 0 <= least < 1:
        raise ValueError(f"{min_true_positive_rate} is not from 0 to below 1")
    found, spared = scores[positive], scores[~positive]
    if found.numel() == 0 or spared.numel() == 0:
        raise ValueError("without a positive and a negative there is no curve")
    # Positives of one score fill [start, stop] of the axis; there the curve falls from `before` to `after`.
    start = (found[None, :] > found[:, None]).double().mean(dim=1)
    stop = (found[None, :] >= found[:, None]).double().mean(dim=1)
    before = (spared[None, :] <= found[:, None]).double().mean(dim=1)
    after = (spared[None, :] < found[:, None]).double().mean(dim=1)
    begin = start.clamp(min=least)
    width = (stop - begin).clamp(min=0)
    middle = (begin + width / 2 - start) / (stop - start)
    height = before + (after - before) * middle
    alike = (found[None, :] == found[:, None]).sum(dim=1)  # each of them stands for all of its score
    whole = (width / alike).sum()
    return ((width * height / alike).sum() / whole).item()


# %% correct: in exact fractions, threshold by threshold

from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1 or min_true_positive_rate != min_true_positive_rate:
        raise ValueError("the least rate must be from 0 to below 1")
    is_positive = positive.tolist()
    num_positive = is_positive.count(True)
    num_negative = len(is_positive) - num_positive
    if num_positive * num_negative == 0:
        raise ValueError("at least one positive and one negative are needed")

    least = Fraction(float(min_true_positive_rate))
    ranked = sorted(zip(scores.tolist(), is_positive), key=lambda pair: pair[0], reverse=True)
    x, y, area = Fraction(0), Fraction(1), Fraction(0)
    for _, level in groupby(ranked, key=lambda pair: pair[0]):
        members = [truth for _, truth in level]
        right = Fraction(sum(members), num_positive)
        down = Fraction(len(members) - sum(members), num_negative)
        if x + right > least and right > 0:
            cut = max(Fraction(0), least - x)  # how much of this piece lies left of the strip
            y_cut = y - down * cut / right
            area += (right - cut) * (y_cut + y - down) / 2
        x, y = x + right, y - down
    return float(area / (1 - least))
