# %% wrong: ordered first and then chosen once more
# Puts inputs and targets in order before the loop and leaves `chosen` in it, so the order is applied twice: pairs fit, but
# they are other examples than those asked for. Shows for an order with repeats, and as an IndexError where M is small.

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


# %% wrong: every batch counted as a full one
# The targets are mended, but the loss is weighted with batch_size instead of the batch's own length. Shows where the last,
# or the only, batch is smaller: M = 5, batch_size = 3 or 8.

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
        total += loss * batch_size
    return total / len(order)


# %% wrong: switches to training mode
# The targets are mended, and model.train() is added as training loops usually begin. Shows for a model in evaluation mode,
# with dropout by its losses, without it by the mode that it is left in.

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
    model.train()
    total = 0.0
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the loss of the trained model
# Trains rightly, then measures the mean loss over the examples afresh, with the weights at the end of the epoch, and not
# each example as it was when its batch was trained on. Shows for any learning rate above 0.

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
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
    with torch.no_grad():
        return F.cross_entropy(model(inputs[order]), targets[order]).item()


# %% correct: pieces of the order, and one weighted mean at the end

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
    costs = []  # one entry for each example that was trained on
    for chosen in order.split(batch_size):
        loss = train_step_cpu(
            model, optimizer, inputs.index_select(0, chosen), targets.index_select(0, chosen)
        )
        costs.extend([loss] * len(chosen))
    return math.fsum(costs) / len(costs)


# %% correct: a data loader over the order, and the step written out

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
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(inputs, targets),
        batch_size=batch_size,
        sampler=order.tolist(),
        generator=torch.Generator(),  # else the loader draws a number from the global generator
    )
    mean, seen = 0.0, 0
    for some_inputs, some_targets in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(some_inputs), some_targets)
        loss.backward()
        optimizer.step()
        seen += len(some_inputs)
        mean += (loss.item() - mean) * len(some_inputs) / seen
    return mean
