# %% wrong: inputs and targets both without their order
# The pair fits again, but examples 0 to M - 1 are taken in their own order, whatever order says.
# Shows for every order that is not 0, 1, 2, ...

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

# %% wrong: the mean of the batches' means
# The targets are mended, but a last, smaller batch counts as much as a full one in the mean.
# Shows where M is above batch_size and no multiple of it.

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

# %% wrong: the targets put in order twice
# The targets are first laid along order and then picked by order again: they belong to order[order].
# Shows for every order that is not its own identity, such as 2, 0, 1.

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
    targets = targets[order]
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)

# %% wrong: divided by all examples there are
# The sum over the M chosen examples is divided by N.
# Shows where order holds fewer or more examples than inputs.

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

# %% correct: laid out once, then split

# Inputs and targets are laid along order first and split into batches together.

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
    laid_out = inputs.index_select(0, order).split(batch_size), targets.index_select(0, order).split(batch_size)
    sizes = [len(t) for t in laid_out[1]]
    losses = [train_step_cpu(model, optimizer, x, t) for x, t in zip(*laid_out, strict=True)]
    return math.fsum(size * loss for size, loss in zip(sizes, losses, strict=True)) / sum(sizes)

# %% correct: a queue of example numbers

# Takes numbers off an iterator, batch_size at a time, and keeps a running mean.

from itertools import islice


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
    waiting = iter(order.tolist())
    mean, seen = 0.0, 0
    while numbers := list(islice(waiting, batch_size)):
        loss = train_step_cpu(
            model,
            optimizer,
            torch.stack([inputs[n] for n in numbers]),
            torch.stack([targets[n] for n in numbers]),
        )
        seen += len(numbers)
        mean += (loss - mean) * len(numbers) / seen
    return mean
