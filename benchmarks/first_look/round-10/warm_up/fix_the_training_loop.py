# %% wrong: the mean of the batches' means
# The targets are mended, but the losses of the batches are averaged as if all were equally large. Where batch_size does not divide M the
# last, smaller batch counts too much: the result is not the mean over the M examples.


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


# %% wrong: the inputs put in order twice
# Both are brought into the order in front of the loop, and the inputs then are taken along the order once more: input order[order[i]]
# meets target order[i]. With M < N the second look-up may even be out of range. Right for an order that is its own repetition (sorted).


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


# %% wrong: N for M
# The loop runs to the number of examples and the mean is over it. Right for an order of all examples; with M < N (a part of the examples) the
# mean is too small, with M > N (some twice) the end of the order is not trained on.


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
    total, N = 0.0, len(inputs)
    for start in range(0, N, batch_size):
        chosen = order[start : min(start + batch_size, N)]
        if len(chosen) == 0:
            break
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / N


# %% wrong: each example only once
# "An epoch visits every example once", so what the order names a second time is left out. The docstring allows an order with some examples
# twice and promises batches along it and the mean over all M: order [0, 1, 0] is trained as [0, 1].


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
    order = torch.tensor(list(dict.fromkeys(order.tolist())), device=order.device)
    total = 0.0
    for chosen in order.split(batch_size):
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)


# %% correct: dealt out beforehand and worked off in pairs


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
    piles = zip(inputs[order].split(batch_size), targets[order].split(batch_size), strict=True)
    weighted = [len(answers) * train_step_cpu(model, optimizer, questions, answers) for questions, answers in piles]
    return math.fsum(weighted) / len(order)


# %% correct: a data loader that follows the order

from torch.utils.data import DataLoader, TensorDataset


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
    order: Tensor,
    batch_size: int,
) -> float:
    if len(inputs) != len(targets):
        raise ValueError(f"got {len(inputs)} inputs and {len(targets)} targets")
    if batch_size < 1:
        raise ValueError(f"got batch_size {batch_size}")
    loader = DataLoader(
        TensorDataset(inputs, targets),
        batch_size=batch_size,
        sampler=order.tolist(),
        generator=torch.Generator(),  # its own, so that the loader draws nothing from the model's chance
    )
    mean, seen = 0.0, 0
    for some_inputs, some_targets in loader:
        loss = train_step_cpu(model, optimizer, some_inputs, some_targets)
        seen += len(some_targets)
        mean += (loss - mean) * len(some_targets) / seen
    return mean
