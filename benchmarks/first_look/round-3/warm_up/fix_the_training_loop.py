# %% wrong: both without the order
# inputs and targets fit each other again, but both are taken as they lie in the data and the order is not used.
# Breaks "which examples, and in which order". Hint: give it an order of three by hand; which examples are trained on?

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
        loss = train_step_cpu(model, optimizer, inputs[batch], targets[batch])
        total += loss * len(inputs[batch])
    return total / len(order)


# %% wrong: the order applied twice
# The targets are put into order before the loop and then picked through the order once more.
# Breaks the pairing: the target of example i is that of order[i]. Hint: with order [1, 2, 0], which target goes with the first input?

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


# %% wrong: the last small batch is dropped
# The loop stops where no full batch is left, so the examples at the end of the order are not trained on and their loss counts as 0.
# Breaks "the last may be smaller" and the mean over all M examples. Hint: count the steps for M = 5 and batch_size = 2.

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
    for start in range(0, len(order) - batch_size + 1, batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: mean over the batches
# The losses of the batches are averaged, so an example in a small last batch weighs more than the others.
# Breaks "the mean loss over the M examples, each counted once". Hint: with M = 5 and batch_size = 4, how much does the fifth example count?

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


# %% correct: the order split into batches

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
    costs = []
    for chosen in torch.split(order, batch_size):
        batch = {"inputs": inputs.index_select(0, chosen), "targets": targets.index_select(0, chosen)}
        costs += [train_step_cpu(model, optimizer, **batch)] * chosen.numel()
    return math.fsum(costs) / order.numel()
