# %% wrong: both by place, and no order
# Inputs and targets fit again, but both are taken by place: the order is drawn and not used.
# Shows for any order other than 0, 1, 2, ...; where order names a few examples only, others are trained on.

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

# %% wrong: a mean of means
# Finds the bug, and tidies the sum up into a mean over the batches, in which a small last batch counts like a full one.
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
    losses = []
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        losses.append(train_step_cpu(model, optimizer, inputs[chosen], targets[chosen]))
    return sum(losses) / len(losses)

# %% wrong: ordered twice
# Both are brought into order first, and then indexed by order once more: pairs fit, but they are other examples.
# Shows for an order that is not its own square, as [1, 2, 0]; an order of a few of many examples is an IndexError.

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

# %% wrong: the last batch is dropped
# Only full batches are taken, so up to batch_size - 1 examples are never trained on, and the mean still divides by M.
# Shows where batch_size does not divide M; with batch_size above M nothing is trained and 0.0 comes back.

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
        total += loss * len(chosen)
    return total / len(order)

# %% correct: split, and a mean that runs along

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
    mean, seen = 0.0, 0
    for some_inputs, some_targets in zip(
        inputs[order].split(batch_size), targets[order].split(batch_size), strict=True
    ):
        loss = train_step_cpu(model, optimizer, some_inputs, some_targets)
        seen += len(some_targets)
        mean += (loss - mean) * len(some_targets) / seen
    return mean

# %% correct: PyTorch's batch sampler

from torch.utils.data import BatchSampler


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
    counted = []
    for places in BatchSampler(order.tolist(), batch_size, drop_last=False):
        loss = train_step_cpu(model, optimizer, inputs[places], targets[places])
        counted += [loss] * len(places)
    return math.fsum(counted) / len(counted)
