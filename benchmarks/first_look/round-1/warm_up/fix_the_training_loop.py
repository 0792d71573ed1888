# %% wrong: goes along the data and not along order
# Inputs and targets agree again, but order is only counted: the examples are the first M in their own order. A good message: "the pairs are right, but they are not the examples that order names".

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

# %% wrong: sorted twice
# Brings both into the new order first and then indexes with order once more: order[order] for the examples. Inputs and targets agree, but with a proper permutation other batches come, and with M < N it fails or takes the wrong ones. A good message: "the examples are not those of order: it is applied twice".

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
        chosen = order[start : start + batch_size]
        total += train_step_cpu(model, optimizer, inputs[chosen], targets[chosen]) * len(chosen)
    return total / len(order)

# %% wrong: divided by all examples
# The bug is mended, and the last line "tidied": the mean is over N and not over the M chosen ones. Right only when order names everything. A good message: "with three of ten examples the loss is three tenths of what it should be".

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

# %% correct: order split, mean as a dot product

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
    pieces = order.split(batch_size)
    losses = [train_step_cpu(model, optimizer, inputs.index_select(0, p), targets.index_select(0, p)) for p in pieces]
    return math.fsum(loss * (len(p) / len(order)) for loss, p in zip(losses, pieces, strict=True))
