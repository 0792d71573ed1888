# %% wrong: the mean of the batch means
# The targets are mended, but each batch now counts alike, and the smaller last one too much.

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


# %% wrong: the order is turned into its inverse
# argsort says where each example stands in the order; inputs and targets match, but others are trained on at each time.

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
    places = order.argsort()
    for start in range(0, len(order), batch_size):
        chosen = places[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: divided by all the inputs
# The sum over the M chosen examples is divided by N, which is another number where order leaves some out.

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


# %% wrong: shuffles once more
# The order that was given is shuffled again before use, so batches are not taken along it.

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
    order = order[torch.randperm(len(order))]
    shuffled_inputs, shuffled_targets = inputs[order], targets[order]
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        loss = train_step_cpu(model, optimizer, shuffled_inputs[batch], shuffled_targets[batch])
        total += loss * len(shuffled_targets[batch])
    return total / len(order)


# %% wrong: refuses an order shorter than a batch
# A batch_size above M raises ValueError, though the last batch, here the only one, may be smaller.

def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets) or not 1 <= batch_size <= len(order):
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    total = 0.0
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% correct: both are put in order before the loop

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
    left_inputs, left_targets = inputs.index_select(0, order), targets.index_select(0, order)
    total, count = 0.0, 0
    while len(left_targets) > 0:
        now, then = left_targets[:batch_size], left_targets[batch_size:]
        total += len(now) * train_step_cpu(model, optimizer, left_inputs[:batch_size], now)
        count += len(now)
        left_inputs, left_targets = left_inputs[batch_size:], then
    return total / count


# %% correct: lists of numbers and a weighted mean at the end

def _batches(numbers: list[int], size: int):
    batch = []
    for number in numbers:
        batch.append(number)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    if inputs.shape[0] != targets.shape[0]:
        raise ValueError(f"{inputs.shape[0]} inputs for {targets.shape[0]} targets")
    losses, sizes = [], []
    for batch in _batches(order.tolist(), batch_size):
        losses.append(train_step_cpu(model, optimizer, inputs[batch], targets[batch]))
        sizes.append(len(batch))
    return math.fsum(loss * size for loss, size in zip(losses, sizes, strict=True)) / sum(sizes)
