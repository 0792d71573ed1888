# %% wrong: both are put in order first, and the inputs are then chosen again
# A half-finished repair: `inputs[order][chosen]` follows the order twice, the targets once. Any order that is not the
# identity pairs wrongly; where the order is shorter than N an index may be out of range.

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


# %% wrong: the targets follow the inverse of the order
# argsort gives the inverse permutation. It pairs rightly for an order that only swaps pairs, such as (1, 0, 2), and wrongly
# for (1, 2, 0); with examples chosen twice or left out it is not even an inverse.

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
    matched = targets[order.argsort()]
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], matched[batch])
        total += loss * len(chosen)
    return total / len(order)


# %% wrong: the last batch is weighed as if it were full
# The pairs are right. But a smaller last batch counts with batch_size examples, so the mean is too high whenever M is not
# a multiple of batch_size.

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
        total += train_step_cpu(model, optimizer, inputs[chosen], targets[chosen]) * batch_size
    return total / len(order)


# %% wrong: the epoch switches the model to training mode
# The line stands at the top of most training loops. A model handed over in evaluation mode runs in training mode (dropout,
# batch norm) and is left in it.

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


# %% correct: the order is split, and the losses are weighed at the end

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
    parts = order.split(batch_size)
    losses = [
        train_step_cpu(model, optimizer, inputs.index_select(0, part), targets.index_select(0, part))
        for part in parts
    ]
    return math.fsum(loss * part.numel() / order.numel() for loss, part in zip(losses, parts, strict=True))


# %% correct: places are drawn from an iterator, and the mean is kept running

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
    places, mean, count = iter(order.tolist()), 0.0, 0
    while places_now := list(islice(places, batch_size)):
        x = torch.stack([inputs[place] for place in places_now])
        y = torch.stack([targets[place] for place in places_now])
        loss = train_step_cpu(model, optimizer, x, y)
        count += len(places_now)
        mean += (loss - mean) * len(places_now) / count
    return mean
