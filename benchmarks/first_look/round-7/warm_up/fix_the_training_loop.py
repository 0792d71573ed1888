# %% wrong: both along the slice
# Inputs and targets belong together again, but order is no longer used: batches are 0, 1, 2, ... whatever was asked for.
# Shows for every order other than range(M), above all for a choice of some examples.

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[batch], targets[batch])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: order taken twice
# Both are put in order before the loop, and the loop orders them again: example order[order[i]] in place i. Pairs match, the
# batches are others than promised; an order that chooses only some examples raises IndexError or trains on others.

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    inputs, targets = inputs[order], targets[order]
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: mean of the batches' means
# The bug is mended, and the loss "made simpler": every batch counts the same, so the examples of a smaller last batch count
# more than the others. Shows where batch_size does not divide M.

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    losses = []
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        losses.append(train_step_cpu(model, optimizer, inputs[chosen], targets[chosen]))
    return sum(losses) / len(losses)


# %% wrong: the last batch dropped
# Only full batches are trained on, and the sum is still divided by M: the rest is never seen, and the mean is too small.
# Shows where batch_size does not divide M.

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    total = 0.0
    for i in range(len(order) // batch_size):
        chosen = order[i * batch_size : (i + 1) * batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * batch_size
    return total / len(order)


# %% correct: a loader with the order as its sampler

from torch.utils.data import DataLoader, TensorDataset


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    loader = DataLoader(
        TensorDataset(inputs, targets), batch_size=batch_size, sampler=order.tolist(), generator=torch.Generator()
    )
    shares = [len(y) * train_step_cpu(model, optimizer, x, y) for x, y in loader]
    return math.fsum(shares) / len(order)


# %% correct: a mean that is kept up to date

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    if len(order) == 0:
        raise ZeroDivisionError("no examples, no mean")
    queue_of_inputs = inputs.index_select(0, order).split(batch_size)
    queue_of_targets = targets.index_select(0, order).split(batch_size)
    mean, seen = 0.0, 0
    for some_inputs, some_targets in zip(queue_of_inputs, queue_of_targets):
        loss = train_step_cpu(model, optimizer, some_inputs, some_targets)
        seen += len(some_targets)
        mean += (loss - mean) * len(some_targets) / seen
    return mean
