# %% wrong: not divided by what is left of the axis
# The area was not divided by the width of the interval, 1 minus the least rate: a perfect ranking gets that width and
# not 1.

# --- before
    return (means * widths).sum().item() / (1 - least)
# --- after
    return (means * widths).sum().item()

# %% wrong: the whole area
# The whole area under the curve came back, as for a least rate of 0. Only what lies above the rate counts.

# --- before
    widths = sensitivity.clamp(min=least).diff()  # the part of each rise that lies above the least rate
# --- after
    widths = sensitivity.diff()  # the part of each rise that lies above the least rate
# --- before
    return (means * widths).sum().item() / (1 - least)
# --- after
    return (means * widths).sum().item()

# %% wrong: below the rate instead of above
# The area was taken over the true positive rates below the given one. The part from there up to 1 is asked for.

# --- before
    widths = sensitivity.clamp(min=least).diff()  # the part of each rise that lies above the least rate
# --- after
    widths = sensitivity.clamp(max=max(least, 1e-9)).diff()  # the part of each rise that lies above the least rate
# --- before
    return (means * widths).sum().item() / (1 - least)
# --- after
    return (means * widths).sum().item() / max(least, 1e-9)

# %% wrong: over false positive rates
# The interval was taken on the axis of the false positive rates. That answers another question, how much is found at
# few false alarms; here it is how many false alarms there are where most is found.

def partial_auc(scores, positive, min_true_positive_rate):
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError
    limit = 1 - min_true_positive_rate
    thresholds = scores.unique().flip(0)
    tpr = torch.stack([torch.tensor(0.0)] + [(scores[positive] >= t).float().mean() for t in thresholds]).double()
    fpr = torch.stack([torch.tensor(0.0)] + [(scores[~positive] >= t).float().mean() for t in thresholds]).double()
    widths = fpr.clamp(max=limit).diff()
    left = tpr[:-1]
    slopes = tpr.diff() / fpr.diff().clamp(min=1e-12)
    return ((left + slopes * widths / 2) * widths).sum().item() / limit

# %% wrong: low scores are taken for the positive ones
# The ranking is upside down: the lowest scores pass first. A high score means positive, so sort downwards.

# --- before
    order = scores.argsort(descending=True)
# --- after
    order = scores.argsort()

# %% wrong: the false alarms themselves
# The mean false positive rate came back. The mean true negative rate is asked for, 1 minus it.

# --- before
    specificity = 1 - torch.cat([zero, (~positive).double().cumsum(0)[last_of_equals] / (~positive).sum()])
# --- after
    specificity = torch.cat([zero, (~positive).double().cumsum(0)[last_of_equals] / (~positive).sum()])

# %% wrong: equal scores in the order in which they stand
# Among equal scores the result depends on the order in which they stand. No threshold can part them: they pass
# together, one point of the curve.

# --- before
    last_of_equals = torch.cat([scores[1:] != scores[:-1], torch.ones(1, dtype=torch.bool)])
# --- after
    last_of_equals = torch.ones(len(scores), dtype=torch.bool)

# %% wrong: steps instead of straight lines
# The points were joined by steps. Between them the curve is a straight line: take the mean height of each piece.

# --- before
    means = specificity[1:] - specificity.diff() / rises * widths / 2
# --- after
    means = specificity[1:]

# %% wrong: points above the rate only
# A piece of the curve that begins below the rate was dropped whole. The part of it above the rate counts: interpolate.

# --- before
    widths = sensitivity.clamp(min=least).diff()  # the part of each rise that lies above the least rate
# --- after
    widths = sensitivity.diff() * (sensitivity[:-1] >= least)  # the part of each rise that lies above the least rate

# %% wrong: the accuracy at that rate
# That is one threshold's accuracy. The mean true negative rate is asked for, over all true positive rates from the
# least one up.

def partial_auc(scores, positive, min_true_positive_rate):
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError
    threshold = scores[positive].quantile(1 - min_true_positive_rate)
    return ((scores >= threshold) == positive).float().mean().item()

# %% wrong: no error for what cannot be ranked
# Without a positive and a negative there is no curve; the docstring promises a ValueError.

# --- before
    if not positive.any() or positive.all():
# --- after
    if False:

# %% wrong: stretched so that guessing is zero
# The area was rescaled. The plain mean is asked for: 1 for a perfect ranking, half of 1 minus the rate where all
# scores are equal.

# --- before
    return (means * widths).sum().item() / (1 - least)
# --- after
    return (means * widths).sum().item() / (1 - least) * 2 - (1 - least)

# %% wrong: a mean over thresholds
# The mean was taken over the thresholds, so it depends on how many scores there are where. It runs over the true
# positive rates: an area, width times height, piece by piece.

def partial_auc(scores, positive, min_true_positive_rate):
    if not positive.any() or positive.all() or not 0 <= min_true_positive_rate < 1:
        raise ValueError
    rates = []
    for threshold in scores.unique().flip(0):
        said = scores >= threshold
        if said[positive].double().mean().item() >= min_true_positive_rate:
            rates.append(1 - said[~positive].double().mean().item())
    return sum(rates) / len(rates)

# %% wrong: the first piece with the height of the whole piece
# The piece that begins below the least rate was cut to the right width and kept the mean height of the whole. Its left
# end now lies on the least rate: interpolate the height there.

# --- before
    means = specificity[1:] - specificity.diff() / rises * widths / 2
# --- after
    means = (specificity[1:] + specificity[:-1]) / 2

# %% wrong: as scikit-learn rescales it
# The area was rescaled so that guessing gets 0.5, as scikit-learn's roc_auc_score does with max_fpr (McClish, 1989).
# The plain mean is asked for.

# --- before
    return (means * widths).sum().item() / (1 - least)
# --- after
    limit = 1 - least
    area, chance = (means * widths).sum().item(), limit**2 / 2
    return 0.5 + (area - chance) / (limit - chance) / 2

# %% correct: NumPy's trapezoids over an interpolated curve

def partial_auc(scores, positive, min_true_positive_rate):
    if positive.all() or not positive.any() or not 0 <= min_true_positive_rate < 1:
        raise ValueError("cannot")
    thresholds = sorted(set(scores.tolist()), reverse=True)
    p, n = scores[positive].tolist(), scores[~positive].tolist()
    points = [(0.0, 1.0)]
    for t in thresholds:
        points.append((sum(s >= t for s in p) / len(p), 1 - sum(s >= t for s in n) / len(n)))
    area, low = 0.0, min_true_positive_rate
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x1 <= low or x1 == x0:
            continue
        if x0 < low:
            y0, x0 = y0 + (y1 - y0) * (low - x0) / (x1 - x0), low
        area += (x1 - x0) * (y0 + y1) / 2
    return area / (1 - low)

# %% correct: the curve on its side

def partial_auc(scores, positive, min_true_positive_rate):
    if not 0 <= min_true_positive_rate < 1:
        raise ValueError("rate")
    negatives, positives = scores[~positive].double(), scores[positive].double()
    if not len(negatives) or not len(positives):
        raise ValueError("one class")
    cuts = torch.cat([scores.double().unique(), torch.tensor([torch.inf])])
    missed = (positives[None] < cuts[:, None]).double().mean(1)  # 1 - true positive rate, rising
    spared = (negatives[None] < cuts[:, None]).double().mean(1)
    limit = 1 - min_true_positive_rate
    inside = missed <= limit
    xs, ys = missed[inside], spared[inside]
    if xs[-1] < limit:
        k = int(inside.sum())
        share = (limit - missed[k - 1]) / (missed[k] - missed[k - 1])
        xs = torch.cat([xs, torch.tensor([limit], dtype=torch.float64)])
        ys = torch.cat([ys, (spared[k - 1] + share * (spared[k] - spared[k - 1]))[None]])
    return float(torch.trapezoid(ys, xs) / limit)

# %% correct: a fine grid of rates

def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if low < 0 or low >= 1:
        raise ValueError("rate")
    if positive.sum() in (0, len(positive)):
        raise ValueError("one class")
    values = sorted(scores.unique().tolist(), reverse=True)
    found = [0.0] + [(scores[positive] >= v).double().mean().item() for v in values]
    spared = [1.0] + [(scores[~positive] < v).double().mean().item() for v in values]
    knots = [low] + [f for f in found if f > low]

    def height(rate, side):
        pairs = list(zip(found, spared))
        for (f0, s0), (f1, s1) in zip(pairs, pairs[1:]):
            if f0 < f1 and f0 <= rate <= f1 and (rate < f1 if side == "right" else rate > f0):
                return s0 + (s1 - s0) * (rate - f0) / (f1 - f0)
        return 0.0

    area = 0.0
    for a, b in zip(knots, knots[1:]):
        if b > a:
            area += (b - a) * (height(a, "right") + height(b, "left")) / 2
    return area / (1 - low)

# %% correct: all pieces at once, clipped

def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if positive.all() or (~positive).all() or not 0 <= low < 1:
        raise ValueError("nothing to measure")
    levels = scores.unique().flip(0).unsqueeze(1)
    found = F.pad((scores[positive] >= levels).double().mean(1), (1, 0), value=0.0)
    spared = F.pad((scores[~positive] < levels).double().mean(1), (1, 0), value=1.0)
    rising = found[1:] > found[:-1]
    x0, x1, y0, y1 = found[:-1][rising], found[1:][rising], spared[:-1][rising], spared[1:][rising]
    start = x0.clamp(min=low)
    at_start = y0 + (y1 - y0) * (start - x0) / (x1 - x0)
    return float(((x1 - start).clamp(min=0) * (at_start + y1) / 2).sum() / (1 - low))

# %% correct: one negative at a time

def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if not 0 <= low < 1 or len(set(positive.tolist())) < 2:
        raise ValueError("nothing to measure")
    found = scores[positive]
    total = 0.0
    for score in scores[~positive]:
        above = (found > score).double().mean().item()  # below this rate the negative is spared for certain
        reached = (found >= score).double().mean().item()  # from this rate on it is a false alarm
        total += max(0.0, above - low)
        start = max(above, low)
        if reached > start:
            total += (reached - start) ** 2 / (2 * (reached - above))
    return total / int((~positive).sum()) / (1 - low)
