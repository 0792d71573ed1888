# %% wrong: the order is dropped
# Inputs and targets fit now, but both are taken from the front: shows for every order that is not 0, 1, 2, ...

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
# A smaller last batch counts as much as the others: M = 5 with batch_size 2 gives another mean.

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


# %% wrong: whole batches only
# The examples left over at the end are never trained on: M = 5 with batch_size 2, or M below batch_size, where
# nothing is trained and 0.0 comes back.

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
    total, seen = 0.0, 0
    for number in range(len(order) // batch_size):
        chosen = order[number * batch_size : (number + 1) * batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
        seen += len(chosen)
    return total / max(seen, 1)


# %% wrong: put in order twice
# Both are laid in order before the loop, and the loop looks them up by `order` again: order[order]. Pairs fit,
# but it is another order (2, 0, 1), and an order that leaves examples out picks wrong ones or raises.

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


# %% correct: laid in order, then split

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
    pairs = zip(inputs[order].split(batch_size), targets[order].split(batch_size), strict=True)
    weighted = [len(some) * train_step_cpu(model, optimizer, some, right) for some, right in pairs]
    return math.fsum(weighted) / order.numel()


# %% correct: a batch sampler over the order

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
    mean, count = 0.0, 0
    for numbers in BatchSampler(order.tolist(), batch_size, drop_last=False):
        some, right = (torch.stack([x[n] for n in numbers]) for x in (inputs, targets))
        loss = train_step_cpu(model, optimizer, some, right)
        count += len(numbers)
        mean += (loss - mean) * len(numbers) / count
    return mean
