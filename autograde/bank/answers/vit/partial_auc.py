# %% wrong: not divided by what is left of the axis
# The area was not divided by the width of the interval, 1 minus the least rate: a perfect ranking gets that width and
# not 1.

# --- before
    return (means * widths).sum().item() / (1 - least)
# --- after
    return (means * widths).sum().item()

# %% wrong: low scores are taken for the positive ones
# The ranking is upside down: the lowest scores pass first. A high score means positive, so sort downwards.

# --- before
    order = scores.argsort(descending=True)
# --- after
    order = scores.argsort()

# %% wrong: the false alarms themselves
# The mean false positive rate came back. Return the mean true negative rate, which is 1 minus it.

# --- before
    specificity = 1 - torch.cat(
# --- after
    specificity = torch.cat(

# %% wrong: equal scores in the order in which they stand
# Among equal scores the result depends on the order in which they stand. No threshold can part them: they pass
# together, one point of the curve.

# --- before
    last_of_equals = torch.cat(
        [scores[1:] != scores[:-1], scores.new_ones(1, dtype=torch.bool)]
    )
# --- after
    last_of_equals = torch.ones_like(positive)

# %% wrong: steps instead of straight lines
# The points were joined by steps. Between them the curve is a straight line: take the mean height of each piece.

# --- before
    means = specificity[1:] - specificity.diff() / rises * widths / 2
# --- after
    means = specificity[1:]

# %% wrong: points above the rate only
# A piece of the curve that begins below the rate was dropped whole. The part of it above the rate counts: interpolate.

# --- before
    widths = sensitivity.clamp(min=least).diff()
# --- after
    widths = sensitivity.diff() * (sensitivity[:-1] >= least)

# %% wrong: no error for what cannot be ranked
# Without a positive and a negative there is no curve; the docstring promises a ValueError.

# --- before
    if not positive.any() or positive.all():
# --- after
    if False:

# %% wrong: the first piece with the height of the whole piece
# The piece that begins below the least rate was cut to the right width and kept the mean height of the whole. Its left
# end now lies on the least rate: interpolate the height there.

# --- before
    means = specificity[1:] - specificity.diff() / rises * widths / 2
# --- after
    means = (specificity[1:] + specificity[:-1]) / 2

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
# --- before
    rises = sensitivity.diff().clamp(min=1e-12)
    widths = sensitivity.clamp(min=least).diff()
    means = specificity[1:] - specificity.diff() / rises * widths / 2
    return (means * widths).sum().item() / (1 - least)
# --- after
    missed, spared, limit = 1 - sensitivity.flip(0), specificity.flip(0), 1 - least
    k = int((missed <= limit).sum())
    xs, ys = missed[:k], spared[:k]
    if k < len(missed):
        share = (limit - missed[k - 1]) / (missed[k] - missed[k - 1])
        xs = torch.cat([xs, xs.new_tensor([limit])])
        ys = torch.cat([ys, (spared[k - 1] + share * (spared[k] - spared[k - 1]))[None]])
    return float(torch.trapezoid(ys, xs) / limit)

# %% correct: one positive at a time
def partial_auc(scores, positive, min_true_positive_rate):
    low = min_true_positive_rate
    if low < 0 or low >= 1 or positive.sum() in (0, len(positive)):
        raise ValueError("one class, or another rate")
    found, total = scores[positive].sort(descending=True).values, 0.0
    for k, value in enumerate(found):  # between k / P and (k + 1) / P the curve runs through this positive's score
        above, reached = (found > value).double().mean().item(), (found >= value).double().mean().item()
        start, end = max(k / len(found), low), max((k + 1) / len(found), low)
        share = ((start + end) / 2 - above) / (reached - above)
        spared = [(scores[~positive] < value).double().mean().item(), (scores[~positive] <= value).double().mean().item()]
        total += (end - start) * (spared[1] + share * (spared[0] - spared[1]))
    return total / (1 - low)

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
