# %% wrong: slices for both
# Inputs and targets belong together again, but order is not looked at any more: wrong for every order that is not
# 0, 1, 2, ..., and with an order of three out of ten the first three are trained on.

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
        total += loss * len(order[batch])
    return total / len(order)

# %% wrong: the mean of the batches' means
# Each batch counts the same, the smaller last one too: wrong in what it returns wherever batch_size does not divide M, for
# example M = 5 and batch_size = 2.

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

# %% wrong: N taken for M
# Runs over the length of the inputs, not of the order: with an order that names some examples twice (M above N) the end of
# it is left out, and with a short order empty batches make the loss nan.

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
    for start in range(0, len(inputs), batch_size):
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(inputs)

# %% wrong: put in order twice
# Both are laid out along order and then picked by order again: pairs match, but batches hold other examples than order
# says. Wrong for [1, 2, 0] in batches of 1 or 2; a short order with large numbers raises IndexError.

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

# %% correct: the order split, and a running mean

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
    for chosen in order.split(batch_size):
        loss = train_step_cpu(model, optimizer, inputs.index_select(0, chosen), targets.index_select(0, chosen))
        seen += len(chosen)
        mean += (loss - mean) * len(chosen) / seen
    return mean

# %% correct: a data loader that walks along the order
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
    loader = DataLoader(
        TensorDataset(inputs, targets),
        batch_size=batch_size,
        sampler=order.tolist(),
        generator=torch.Generator(),  # of its own: no random number is taken from the model's dropout
    )
    costs = []
    for some_inputs, some_targets in loader:
        costs += [train_step_cpu(model, optimizer, some_inputs, some_targets)] * len(some_targets)
    return math.fsum(costs) / len(costs)
