# %% wrong: inputs and targets both by place
# The pairs fit again, but the order is not used any more: every epoch goes through the first M examples as they lie.
# Hint: with order = [2, 0], which two examples should be trained on, and which are?

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


# %% wrong: the targets are brought into order with the inverse permutation
# It sees that inputs and targets are shuffled differently, and undoes the shuffling of the targets instead of doing
# the same: right only for an order that is its own inverse.
# Hint: take order = [1, 2, 0] by hand and write down which target comes with input 1.

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
    place_of = order.argsort()  # where each example has gone
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[place_of[batch]])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the last batch counts as if it were full
# The pairs are mended, but each loss is weighted by batch_size, so the examples of a smaller last batch count for more
# than one each.
# Hint: five examples in batches of two: by how many losses is the sum divided, and how many were added?

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
        chosen = order[start : start + batch_size]
        total += batch_size * train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
    return total / len(order)


# %% wrong: divided by all examples and not by the chosen ones
# The pairs are mended, and the sum is divided by N: with an order that names only some of the examples the mean comes
# out too small.
# Hint: what should come back for an order with ten of a hundred examples, each with a loss of 1?

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
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(inputs)


# %% wrong: the smaller last batch is left out
# The pairs are mended, but like a loader with drop_last it takes full batches only, so up to batch_size - 1 of the
# chosen examples are never trained on.
# Hint: for seven examples in batches of three, list the values of start.

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
    total, seen = 0.0, 0
    for start in range(0, len(order) - batch_size + 1, batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
        seen += len(chosen)
    return total / max(seen, 1)


# %% correct: everything put in order first and then cut into batches

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets):
        raise ValueError(f"{len(inputs)} inputs, but {len(targets)} targets")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    ordered_inputs = inputs.index_select(0, order)
    ordered_targets = targets.index_select(0, order)
    losses, sizes = [], []
    for x, y in zip(ordered_inputs.split(batch_size), ordered_targets.split(batch_size), strict=True):
        losses.append(train_step_cpu(model, optimizer, x, y))
        sizes.append(len(y))
    return sum(loss * size for loss, size in zip(losses, sizes, strict=True)) / sum(sizes)


# %% correct: a data loader that takes the order as its sampler

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
    examples = TensorDataset(inputs, targets)
    # a generator of its own, so that the loader leaves the global random numbers alone
    loader = DataLoader(examples, batch_size=batch_size, sampler=order.tolist(), generator=torch.Generator())
    total, seen = 0.0, 0
    for some_inputs, some_targets in loader:
        total += train_step_cpu(model, optimizer, some_inputs, some_targets) * len(some_targets)
        seen += len(some_targets)
    return total / seen
