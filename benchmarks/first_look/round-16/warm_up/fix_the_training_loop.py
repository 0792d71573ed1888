# %% wrong: the order is undone for the targets
# "The inputs were shuffled, so the targets must be shuffled back": the inverse order is taken for them. Right only where
# the order is its own inverse; wrong for [1, 2, 0], and for orders that choose some examples only.

def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    total = 0.0
    back = order.argsort()
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[back[batch]])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: every batch weighs batch_size
# The targets are mended, but len(chosen) was "simplified" to batch_size: the smaller last batch counts too much. Wrong
# where batch_size does not divide M, e.g. M = 5 with batches of 3, or one batch of 5 with batch_size 8.

def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    total = 0.0
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * batch_size
    return total / len(order)


# %% wrong: examples that come twice are trained on once
# An epoch is "a pass over all examples", so repeated ones are dropped from the order. Wrong for order [2, 0, 2], where
# the third should be trained on twice; M is 3.

def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    order = torch.tensor(list(dict.fromkeys(order.tolist())), device=order.device)
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the targets are reordered twice
# Lays the targets out along the order first, and then also picks from them by `chosen`. Wrong for an order such as
# [1, 2, 0]; an error where the order is shorter than the numbers in it ask for.

def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    targets = targets[order]
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% correct: both laid out along the order, then cut into batches

def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    costs = []
    for x, y in zip(inputs[order].split(batch_size), targets[order].split(batch_size), strict=True):
        costs += [train_step_cpu(model, optimizer, x, y)] * len(y)
    return math.fsum(costs) / len(costs)


# %% correct: lists of numbers from PyTorch's batch sampler, a running mean

def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    from torch.utils.data import BatchSampler

    mean, seen = 0.0, 0
    for numbers in BatchSampler(order.tolist(), batch_size, drop_last=False):
        loss = train_step_cpu(model, optimizer, inputs[numbers], targets[numbers])
        seen += len(numbers)
        mean += (loss - mean) * len(numbers) / seen
    return mean
