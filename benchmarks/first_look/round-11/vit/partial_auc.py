# %% wrong: equal scores in the order of the list
# Every picture is a step of its own, so among equal scores the order of the list decides. It shows
# where a positive and a negative have the same score, e.g. all equal: not half of 1 - rate.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if positive.all() or not positive.any() or not 0 <= low < 1:
        raise ValueError("needs positives, negatives and a rate from 0 to below 1")
    hit = positive[scores.argsort(descending=True, stable=True)].double()
    x = torch.cat([hit.new_zeros(1), hit.cumsum(0) / hit.sum()]).tolist()
    y = torch.cat([hit.new_ones(1), 1 - (1 - hit).cumsum(0) / (1 - hit).sum()]).tolist()
    area = 0.0
    for x0, y0, x1, y1 in zip(x, y, x[1:], y[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            x0, y0 = low, y0 + (y1 - y0) * (low - x0) / (x1 - x0)
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)

# %% wrong: only whole steps of the curve
# The curve's points from the rate up are kept, and what lies between the rate and the first of them
# is lost. It shows where no point stands at the rate: three positives and 0.5.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not positive.any() or positive.all():
        raise ValueError("positives and negatives are needed")
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("the rate must be at least 0 and below 1")
    thresholds = scores.unique().flip(0)
    passes = scores >= thresholds.unsqueeze(1)  # (thresholds, n)
    found = passes[:, positive].double().mean(dim=1)
    spared = 1 - passes[:, ~positive].double().mean(dim=1)
    found = torch.cat([torch.zeros(1, dtype=found.dtype), found])
    spared = torch.cat([torch.ones(1, dtype=found.dtype), spared])
    inside = found >= min_true_positive_rate
    return torch.trapezoid(spared[inside], found[inside]).item() / (1 - min_true_positive_rate)

# %% wrong: the mean over the thresholds
# The true negative rates at the accepted thresholds are averaged, each counted once, however far the
# true positive rate moves. It shows nearly always: all scores equal and rate 0 give 0, not 0.5.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("min_true_positive_rate must be in [0, 1)")
    if positive.sum() == 0 or (~positive).sum() == 0:
        raise ValueError("there must be both positives and negatives")
    rates = []
    for threshold in scores.unique():
        passes = scores >= threshold
        true_positive_rate = (passes & positive).sum() / positive.sum()
        true_negative_rate = (~passes & ~positive).sum() / (~positive).sum()
        if true_positive_rate >= min_true_positive_rate:
            rates.append(true_negative_rate.item())
    return sum(rates) / len(rates)

# %% wrong: a rate of one is let in
# Rates above 1 are refused, but 1 itself passes, and the division by the width of the strip fails. It
# shows for min_true_positive_rate = 1: ZeroDivisionError in place of ValueError.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if low < 0 or low > 1:
        raise ValueError("a rate lies between 0 and 1")
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0:
        raise ValueError("one of the two kinds is missing")
    area, x0, y0 = 0.0, 0.0, 1.0
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        x1 = int((passes & positive).sum()) / num_positive
        y1 = 1 - int((passes & ~positive).sum()) / num_negative
        if x1 > low and x1 > x0:
            start = max(x0, low)
            y_start = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
            area += (x1 - start) * (y_start + y1) / 2
        x0, y0 = x1, y1
    return area / (1 - low)

# %% correct: for how long is each negative spared?
def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0.0 <= min_true_positive_rate < 1.0:
        raise ValueError(f"the rate must be from 0 to below 1, got {min_true_positive_rate}")
    wanted, others = scores[positive], scores[~positive]
    if len(wanted) == 0 or len(others) == 0:
        raise ValueError("without both kinds there is no curve")
    low = float(min_true_positive_rate)
    above = (wanted > others.unsqueeze(1)).double().mean(dim=1)  # the rate before its score passes
    upto = (wanted >= others.unsqueeze(1)).double().mean(dim=1)  # and after
    whole = (above - low).clamp(min=0)
    # beside equal positives it falls in a line: a triangle, cut off at the low rate
    end = (upto - above.clamp(min=low)).clamp(min=0)
    step = torch.where(upto > above, upto - above, 1.0)
    return ((whole + end.square() / (2 * step)).mean() / (1 - low)).item()

# %% correct: walks down the groups of equal scores, in exact fractions
from fractions import Fraction
from itertools import groupby


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    pairs = sorted(zip(scores.tolist(), positive.tolist(), strict=True), reverse=True)
    found_in_all = sum(flag for _, flag in pairs)
    others_in_all = len(pairs) - found_in_all
    if found_in_all == 0 or others_in_all == 0:
        raise ValueError("the scores of positives and of negatives are needed")
    if not (min_true_positive_rate >= 0 and min_true_positive_rate < 1):
        raise ValueError("the least rate must lie in [0, 1)")
    low = Fraction(min_true_positive_rate)
    x, y, area = Fraction(0), Fraction(1), Fraction(0)
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        flags = [flag for _, flag in group]
        right = Fraction(sum(flags), found_in_all)
        fall = Fraction(len(flags) - sum(flags), others_in_all)
        width = x + right - max(x, low)  # what of this step lies in the strip
        if right and width > 0:
            slope = fall / right
            area += width * (y - fall) + slope * width * width / 2
        x, y = x + right, y - fall
    return float(area / (1 - low))
