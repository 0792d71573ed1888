# %% wrong: equal scores pass one at a time
# Sorted item by item, so the order within a group of equal scores decides: with all scores equal
# the result is not half of 1 - rate.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    r = min_true_positive_rate
    if positive.all() or not positive.any() or r < 0 or r >= 1:
        raise ValueError("needs both kinds, and a rate from 0 to below 1")
    hits = positive[scores.argsort(descending=True, stable=True)].double()
    x = torch.cat([hits.new_zeros(1), hits.cumsum(0) / hits.sum()])
    y = torch.cat([hits.new_ones(1), 1 - (1 - hits).cumsum(0) / (1 - hits).sum()])
    area = 0.0
    for x0, x1, y0, y1 in zip(x[:-1].tolist(), x[1:].tolist(), y[:-1].tolist(), y[1:].tolist()):
        if x1 <= r or x1 == x0:
            continue
        if x0 < r:
            x0, y0 = r, y0 + (y1 - y0) * (r - x0) / (x1 - x0)
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - r)


# %% wrong: the area, not the mean height
# The shaded area is not divided by its width: a perfect ranking gives 1 - rate instead of 1.
# Right only for a rate of 0.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    if not 0 <= low < 1:
        raise ValueError("the rate must be at least 0 and below 1")
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0:
        raise ValueError("both positives and negatives are needed")
    points = [(0.0, 1.0)]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        points.append(
            (int((passes & positive).sum()) / P, 1 - int((passes & ~positive).sum()) / N)
        )
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 > low and x1 > x0:
            start = max(x0, low)
            y_start = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
            area += (x1 - start) * (y_start + y1) / 2
    return area


# %% wrong: begins at the first point beyond the rate
# Only points of the curve from the rate up are joined; the piece from the rate to the first of
# them is lost. Shows where the rate is no point of the curve (0.8 with 3 positives).

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError("min_true_positive_rate must lie in [0, 1)")
    if positive.all() or (~positive).all():
        raise ValueError("there must be positives and negatives")
    thresholds = scores.unique().flip(0)
    passes = scores >= thresholds.unsqueeze(1)  # (thresholds, n)
    found = passes[:, positive].double().mean(dim=1)
    spared = 1 - passes[:, ~positive].double().mean(dim=1)
    found = torch.cat([torch.zeros(1, dtype=torch.double, device=found.device), found])
    spared = torch.cat([torch.ones(1, dtype=torch.double, device=found.device), spared])
    keep = found >= min_true_positive_rate
    area = torch.trapezoid(spared[keep], found[keep])
    return (area / (1 - min_true_positive_rate)).item()


# %% wrong: scikit-learn's partial area, which is standardized
# roc_auc_score with max_fpr gives McClish's standardized area (0.5 for chance at any rate), not
# the mean height. Right only for a rate of 0.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    from sklearn.metrics import roc_auc_score

    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("rate out of range")
    if positive.sum() == 0 or positive.sum() == len(positive):
        raise ValueError("only one kind")
    # with the kinds swapped, the true negative rate is the recall, and 1 - recall the other axis
    return float(
        roc_auc_score(
            (~positive).cpu().numpy(),
            -scores.detach().cpu().double().numpy(),
            max_fpr=1 - min_true_positive_rate,
        )
    )


# %% correct: exact fractions, a group of equal scores at a time
# Counts both kinds for each score in a dictionary and adds up trapezoids of fractions.
from fractions import Fraction


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    groups: dict[float, list[int]] = {}
    for score, is_positive in zip(scores.tolist(), positive.tolist()):
        groups.setdefault(score, [0, 0])[bool(is_positive)] += 1
    negatives, positives = (sum(group[kind] for group in groups.values()) for kind in (0, 1))
    low = Fraction(min_true_positive_rate)
    if not negatives or not positives or not 0 <= low < 1:
        raise ValueError("needs positives, negatives, and a rate from 0 to below 1")
    area, x, y = Fraction(0), Fraction(0), Fraction(1)
    for score in sorted(groups, reverse=True):
        wrong, right = groups[score]
        next_x, next_y = x + Fraction(right, positives), y - Fraction(wrong, negatives)
        if next_x > max(x, low):
            slope = (next_y - y) / (next_x - x)
            at_start = y + slope * (max(x, low) - x)
            area += (next_x - max(x, low)) * (at_start + next_y) / 2
        x, y = next_x, next_y
    return float(area / (1 - low))


# %% correct: each positive has its stretch of the curve
# The positives of a group share a straight line; the k-th positive covers one P-th of the axis,
# over which the line's mean height is known. The first of them is cut at the rate.
def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError(f"no such rate: {min_true_positive_rate}")
    hits, misses = scores[positive], scores[~positive]
    if not len(hits) or not len(misses):
        raise ValueError("one of the two kinds is missing")
    hits = hits.sort(descending=True).values
    rank = torch.arange(len(hits), device=hits.device, dtype=torch.float64)
    same = hits.unsqueeze(1) == hits
    group, before = same.sum(dim=1).double(), (hits > hits.unsqueeze(1)).sum(dim=1).double()
    spared = (misses < hits.unsqueeze(1)).double().mean(dim=1)  # after the group has passed
    level = (misses == hits.unsqueeze(1)).double().mean(dim=1)
    end = rank + 1
    start = rank.clamp(min=min_true_positive_rate * len(hits)).minimum(end)
    middle = (start + end) / 2 - before  # how far into the group, in positives
    height = spared + level * (1 - middle / group)
    width = (end - start) / len(hits)
    return ((width * height).sum() / (1 - min_true_positive_rate)).item()
