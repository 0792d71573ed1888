# %% wrong: the order is sorted
# Sorting makes places and examples agree only where the order holds all N examples; a part of them is still paired wrongly, and the order is lost.

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
    order = order.sort().values
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[batch])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the targets go by the inverse order
# argsort of the order is the inverse permutation: right for a plain swap, wrong for a ring of three.

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
    ranks = order.argsort()
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[ranks[batch]])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the targets are laid in order in place
# The first epoch is right, but the caller's targets are changed: from the second call on they belong to other inputs.

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
    targets[: len(order)] = targets[order]  # now they stand in the order of the batches
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[batch])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the mean is taken over all examples there are
# The pairs are right now, but the sum is divided by N and not by M: too small a loss where the order holds only some examples.

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
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(inputs)


# %% wrong: only full batches
# The pairs are right, but the number of batches is rounded down: the examples of a smaller last batch are not trained on.

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
    total, count = 0.0, 0
    for i in range(max(1, len(order) // batch_size)):
        chosen = order[i * batch_size : (i + 1) * batch_size]
        total += len(chosen) * train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        count += len(chosen)
    return total / count


# %% correct: everything laid in order first, then split

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
    pieces = zip(inputs[order].split(batch_size), targets[order].split(batch_size), strict=True)
    weighted = [len(y) * train_step_cpu(model, optimizer, x, y) for x, y in pieces]
    return math.fsum(weighted) / len(order)


# %% correct: a generator of batches and a running mean

def _batches_along(order: Tensor, batch_size: int):
    waiting = []
    for example in order.tolist():
        waiting.append(example)
        if len(waiting) == batch_size:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if batch_size < 1 or inputs.shape[0] != targets.shape[0]:
        raise ValueError("inputs and targets must be as many, and batch_size at least 1")
    mean, done = 0.0, 0
    for examples in _batches_along(order, batch_size):
        x = torch.stack([inputs[i] for i in examples])
        y = torch.stack([targets[i] for i in examples])
        loss = train_step_cpu(model, optimizer, x, y)
        done += len(examples)
        mean += (loss - mean) * len(examples) / done
    return mean
