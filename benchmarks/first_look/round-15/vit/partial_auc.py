# %% wrong: the curve begins at the first threshold
# The point at which nothing passes, (0, 1), is missing. Shows where the least rate lies below the
# first threshold's true positive rate: rate 0, or all scores equal (then the curve is one point).

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or not 0 <= low < 1:
        raise ValueError("a positive, a negative and a rate in [0, 1) are needed")
    points = []
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        found = int((passes & positive).sum()) / P
        spared = 1 - int((passes & ~positive).sum()) / N
        points.append((found, spared))
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            y0 += (y1 - y0) * (low - x0) / (x1 - x0)
            x0 = low
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)

# %% wrong: only the points at or above the least rate
# The piece from the least rate to the first point above it is left out, and the area is divided by
# the width that is left. Right where the curve has a point at that rate (0.8 with five positives and
# no ties), off for 0.7 or with ties, and 0 / 0 where only the last point is above.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0:
        raise ValueError("there must be a positive and a negative")
    if min_true_positive_rate < 0 or min_true_positive_rate >= 1:
        raise ValueError("the rate must be in [0, 1)")
    points = [(0.0, 1.0)]
    for threshold in torch.unique(scores).flip(0):
        passes = scores >= threshold
        points.append(
            ((passes & positive).sum().item() / P, 1 - (passes & ~positive).sum().item() / N)
        )
    points = [p for p in points if p[0] >= min_true_positive_rate - 1e-12]
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in zip(points, points[1:]))
    width = points[-1][0] - points[0][0]
    return area / width if width > 0 else points[-1][1]

# %% wrong: a drop exactly at the least rate is not taken
# The strip's left edge gets the first height that the curve has at the least rate, and goes on from
# there to the points above it. Where the curve falls straight down at that very rate (negatives
# between the fourth and the fifth of five positives, rate 0.8), the left edge is too high.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    P, N = int(positive.sum()), int((~positive).sum())
    if P == 0 or N == 0 or not 0 <= low < 1:
        raise ValueError("a positive, a negative and a rate in [0, 1) are needed")
    points = [(0.0, 1.0)]
    for threshold in torch.unique(scores).flip(0):
        passes = scores >= threshold
        found, let_in = int((passes & positive).sum()), int((passes & ~positive).sum())
        points.append((found / P, 1 - let_in / N))
    # the height at the left edge
    edge = 1.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 < low <= x1:
            edge = y0 + (y1 - y0) * (low - x0) / (x1 - x0)
    strip = [(low, edge)] + [p for p in points if p[0] > low]
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in zip(strip, strip[1:]))
    return area / (1 - low)

# %% wrong: the whole area is refused
# A rate of 0 raises ValueError as well, though only rates below 0 may. Shows for rate 0.0, the whole
# area under the curve.

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = min_true_positive_rate
    P, N = int(positive.sum()), int((~positive).sum())
    if not P or not N:
        raise ValueError("there must be a positive and a negative")
    if not 0 < low < 1:
        raise ValueError(f"the rate must lie between 0 and 1, not at {low}")
    area, x0, y0 = 0.0, 0.0, 1.0
    for threshold in torch.unique(scores).flip(0):
        passes = scores >= threshold
        x1 = int((passes & positive).sum()) / P
        y1 = 1 - int((passes & ~positive).sum()) / N
        if x1 > max(x0, low):
            left = max(x0, low)
            height = y0 + (y1 - y0) * (left - x0) / (x1 - x0)
            area += (x1 - left) * (height + y1) / 2
        x0, y0 = x1, y1
    return area / (1 - low)

# %% correct: exact fractions

from fractions import Fraction


def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError(f"the rate {min_true_positive_rate} is not in [0, 1)")
    groups: dict[float, list[int]] = {}
    for score, is_one in zip(scores.tolist(), positive.tolist()):
        groups.setdefault(score, [0, 0])[not is_one] += 1
    all_positives = sum(p for p, _ in groups.values())
    all_negatives = sum(n for _, n in groups.values())
    if not all_positives or not all_negatives:
        raise ValueError("at least one positive and one negative are needed")
    low = Fraction(min_true_positive_rate)
    found, spared, area = Fraction(0), Fraction(1), Fraction(0)
    for score in sorted(groups, reverse=True):
        p, n = groups[score]
        step, fall = Fraction(p, all_positives), Fraction(n, all_negatives)
        inside = min(step, max(Fraction(0), found + step - low))  # the part of the step that counts
        if inside:
            # the mean height over the last `inside` of a line that falls by `fall` in `step`
            area += inside * (spared - fall + fall * inside / step / 2)
        found, spared = found + step, spared - fall
    return float(area / (1 - low))

# %% correct: every positive a strip, compared with all negatives

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    low = float(min_true_positive_rate)
    ones, others = scores[positive], scores[~positive]
    if not len(ones) or not len(others):
        raise ValueError("one positive and one negative at least")
    if not (low >= 0 and low < 1):
        raise ValueError("the rate has to be at least 0 and below 1")
    # positives that share a score share the line, so their strips are taken together
    above = (ones[:, None] < ones[None, :]).sum(dim=1).double()  # better positives than this one
    equal = (ones[:, None] == ones[None, :]).sum(dim=1).double()  # itself among them
    before = (others[None, :] <= ones[:, None]).double().mean(dim=1)  # spared before this score
    after = (others[None, :] < ones[:, None]).double().mean(dim=1)  # and after it
    begin, end = above / len(ones), (above + equal) / len(ones)
    left = torch.minimum(begin.clamp(min=low), end)
    at_left = before + (after - before) * (left - begin) / (end - begin)
    areas = (end - left) * (at_left + after) / 2 / equal  # each of the equals has its share
    return (areas.sum() / (1 - low)).item()
