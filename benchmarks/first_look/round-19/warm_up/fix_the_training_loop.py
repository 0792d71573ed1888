# %% wrong: both by position, the order forgotten
# Inputs and targets belong together again, but the first M examples are taken as they lie: the order is ignored. Shows
# for every order but 0, 1, 2, ..., most plainly for one that is shorter than N.

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


# %% wrong: the mean over all examples
# The targets are mended, but the sum is divided by N instead of by the M that were chosen. Shows where order is
# shorter or longer than the data, e.g. three of five.

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


# %% wrong: sorted once, and the old index kept
# Both are put into the order before the loop, but the inputs are then indexed with `chosen` a second time, so they
# still do not match. Shows for every order but 0, 1, 2, ..., e.g. [1, 2, 0]; where order is short, an index may be out of range.

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
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[batch])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: a mask of what is chosen
# A truth value for each example says whether it is in the batch, so one that stands twice in a batch is trained on
# once. Shows for order [0, 0, 1] and batch size 3.

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
        in_batch = torch.zeros(len(inputs), dtype=torch.bool, device=inputs.device)
        in_batch[chosen] = True
        loss = train_step_cpu(model, optimizer, inputs[in_batch], targets[in_batch])
        total += loss * len(chosen)
    return total / len(order)


# %% correct: everything in order first, then split
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
    losses = []
    for x, y in pieces:
        losses += [train_step_cpu(model, optimizer, x, y)] * len(y)  # its loss, once for each example
    return math.fsum(losses) / len(losses)


# %% correct: PyTorch's own loader, with the order as its sampler
def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    from torch.utils.data import DataLoader, TensorDataset

    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
    loader = DataLoader(
        TensorDataset(inputs, targets),
        batch_size=batch_size,
        sampler=order.tolist(),
        generator=torch.Generator(),  # the loader draws a seed: not from the global source
    )
    mean, done = 0.0, 0
    for x, y in loader:
        loss = train_step_cpu(model, optimizer, x, y)
        done += len(y)
        mean += (loss - mean) * len(y) / done
    return mean
