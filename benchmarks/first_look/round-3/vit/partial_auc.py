# %% wrong: equal scores one after the other
# Each score is a step of its own, also where scores are equal; so the result depends on their order and is not half of 1 - rate where all are equal.
# Hint: with the threshold `score >= t`, can one of two equal scores pass without the other?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs both kinds and a rate from 0 to below 1")
    order = scores.argsort(descending=True, stable=True)
    passed = positive[order].double()
    x = torch.cat([torch.zeros(1, dtype=torch.float64), passed.cumsum(0) / num_positive]).tolist()
    y = torch.cat([torch.ones(1, dtype=torch.float64), 1 - (1 - passed).cumsum(0) / num_negative]).tolist()
    area, low = 0.0, min_true_positive_rate
    for x0, y0, x1, y1 in zip(x, y, x[1:], y[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            y0, x0 = y0 + (y1 - y0) * (low - x0) / (x1 - x0), low
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)


# %% wrong: the area is not divided by its width
# The strip's area is returned and not its mean height, so a perfect ranking gives 1 - rate and not 1.0.
# Hint: what does the docstring say that a perfect ranking returns?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs both kinds and a rate from 0 to below 1")
    x, y = [0.0], [1.0]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        x.append(int((passes & positive).sum()) / num_positive)
        y.append(1 - int((passes & ~positive).sum()) / num_negative)
    area, low = 0.0, min_true_positive_rate
    for x0, y0, x1, y1 in zip(x, y, x[1:], y[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            y0, x0 = y0 + (y1 - y0) * (low - x0) / (x1 - x0), low
        area += (x1 - x0) * (y0 + y1) / 2
    return area


# %% wrong: the curve has no point where nothing passes
# The first point is that of the highest score, and the piece from "nothing passes" to it is missing; with rate 0 or all scores equal, area is lost.
# Hint: how many points has your curve where all scores are equal, and what is the area under it?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs both kinds and a rate from 0 to below 1")
    x, y = [], []
    for threshold in sorted(set(scores.tolist()), reverse=True):
        passes = scores >= threshold
        x.append(int((passes & positive).sum()) / num_positive)
        y.append(1 - int((passes & ~positive).sum()) / num_negative)
    area, low = 0.0, min_true_positive_rate
    for x0, y0, x1, y1 in zip(x, y, x[1:], y[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            y0, x0 = y0 + (y1 - y0) * (low - x0) / (x1 - x0), low
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)


# %% wrong: no point at the least rate itself
# Only points from the least rate up are joined; where the rate lies between two points, the part of that line to the right of it is lost.
# Hint: five positives and a rate of 0.7: how wide is the strip that you add up?

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    num_positive, num_negative = int(positive.sum()), int((~positive).sum())
    if num_positive == 0 or num_negative == 0 or not 0 <= min_true_positive_rate < 1:
        raise ValueError("needs both kinds and a rate from 0 to below 1")
    points = [(0.0, 1.0)]
    for threshold in scores.unique().flip(0):
        passes = scores >= threshold
        points.append(
            ((passes & positive).sum().item() / num_positive, 1 - (passes & ~positive).sum().item() / num_negative)
        )
    points = [(x, y) for x, y in points if x >= min_true_positive_rate]
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in zip(points, points[1:]))
    return area / (1 - min_true_positive_rate)


# %% correct: groups of equal scores, vectorised

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    if not (0 <= min_true_positive_rate < 1):
        raise ValueError(f"the rate must be from 0 to below 1, got {min_true_positive_rate}")
    if not positive.any() or positive.all():
        raise ValueError("there must be a positive and a negative")
    _, group = scores.detach().cpu().unique(sorted=True, return_inverse=True)
    positive = positive.cpu()
    count = int(group.max()) + 1
    found = torch.bincount(group[positive], minlength=count).flip(0).cumsum(0).double() / int(positive.sum())
    spoilt = torch.bincount(group[~positive], minlength=count).flip(0).cumsum(0).double() / int((~positive).sum())
    x = torch.cat([found.new_zeros(1), found])
    y = torch.cat([found.new_ones(1), 1 - spoilt])
    begin, end = x[:-1], x[1:]
    clipped = begin.clamp(min=min_true_positive_rate).minimum(end)
    slope = (y[1:] - y[:-1]) / torch.where(end > begin, end - begin, torch.ones_like(end))
    at_clipped = torch.where(clipped > begin, y[:-1] + slope * (clipped - begin), y[:-1])
    area = ((end - clipped) * (at_clipped + y[1:]) / 2).sum().item()
    return area / (1 - min_true_positive_rate)


# %% correct: one strip for each group of positives

def partial_auc(scores: Tensor, positive: Tensor, min_true_positive_rate: float) -> float:
    from itertools import groupby

    rate = float(min_true_positive_rate)
    pairs = sorted(zip(scores.tolist(), positive.tolist(), strict=True), key=lambda pair: -pair[0])
    P = sum(1 for _, is_positive in pairs if is_positive)
    Q = len(pairs) - P
    if P == 0 or Q == 0:
        raise ValueError("a positive and a negative are needed")
    if rate < 0 or rate >= 1:
        raise ValueError("the rate must be at least 0 and below 1")
    total = 0.0
    found = spoilt = 0
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        kinds = [kind for _, kind in group]
        new_found = found + sum(kinds)
        new_spoilt = spoilt + len(kinds) - sum(kinds)
        if new_found > found:
            left, right = max(rate, found / P), new_found / P
            if right > left:

                def height(at, found=found, spoilt=spoilt, new_found=new_found, new_spoilt=new_spoilt):
                    part = (at * P - found) / (new_found - found)
                    return 1 - (spoilt + part * (new_spoilt - spoilt)) / Q

                total += (right - left) * height((left + right) / 2)
        found, spoilt = new_found, new_spoilt
    return total / (1 - rate)
