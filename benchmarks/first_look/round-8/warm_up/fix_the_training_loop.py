# %% wrong: both by place, the order forgotten
# inputs and targets fit each other, but the examples 0, 1, 2, ... are trained on, not those of order: shows for every order
# that is not 0, 1, 2, ...

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

# %% wrong: divided by all examples there are
# The targets are mended; but the mean divides by N in place of M. Shows where order holds fewer (or more) examples than
# inputs.

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

# %% wrong: the mean of the batches' means
# The smaller last batch counts as much as a full one: shows in the value returned where M is not a multiple of batch_size.

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

# %% wrong: put in order twice
# inputs and targets are sorted into the order first, and then indexed with it again: the pairs are right, but the examples come as
# order[order]. For a permutation the batches differ; where order holds some of the examples it raises or takes others.

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
    inputs, targets = inputs[order], targets[order]  # so that both are in the same order
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)

# %% correct: pieces of the sorted examples, and a running mean

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if batch_size < 1 or inputs.shape[0] != targets.shape[0]:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    mean, seen = 0.0, 0
    pieces = zip(inputs.index_select(0, order).split(batch_size), targets.index_select(0, order).split(batch_size))
    for some_inputs, some_targets in pieces:
        seen += len(some_targets)
        mean += (train_step_cpu(model, optimizer, some_inputs, some_targets) - mean) * len(some_targets) / seen
    return mean

# %% correct: an iterator over the numbers, each example's loss in a list

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
    numbers, losses, waiting = order.tolist(), [], []
    for place, number in enumerate(numbers, start=1):
        waiting.append(number)
        if len(waiting) == batch_size or place == len(numbers):
            batch_inputs = torch.stack([inputs[n] for n in waiting])
            batch_targets = torch.stack([targets[n] for n in waiting])
            losses += len(waiting) * [train_step_cpu(model, optimizer, batch_inputs, batch_targets)]
            waiting = []
    return math.fsum(losses) / len(losses)
