# %% wrong: targets by the inverse order
# Thinks the targets have to be "sorted back" with the inverse permutation. Shows for an order that is not its own inverse, such as [1, 2, 0],
# and for an order shorter than N or with an example twice.

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
    sorted_back = targets[order.argsort()]
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], sorted_back[batch])
        total += loss * len(chosen)
    return total / len(order)

# %% wrong: chunk evens the batches out
# chunk(n) makes n pieces of nearly equal size, not pieces of batch_size. Shows for M = 9, batch_size 4: batches of 3, 3, 3 instead of 4, 4, 1.

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
    for chosen in order.chunk(math.ceil(len(order) / batch_size)):
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        total += loss * len(chosen)
    return total / len(order)

# %% wrong: a boolean mask of the chosen
# The batch is picked with a mask over all examples, so inputs and targets fit, but an example that stands twice in a batch is trained on once.
# Shows for an order such as [0, 0, 1] with batch_size 3: the loss is the mean of two examples.

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

# %% wrong: mean over all examples
# The targets are mended, and the mean is "mended" with them: over the N examples that there are, not the M that were trained on. Shows where
# the order leaves examples out or takes some twice, M != N.

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

# %% correct: both put in order first, then split

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
    pairs = zip(inputs[order].split(batch_size), targets[order].split(batch_size))
    return math.fsum(len(y) * train_step_cpu(model, optimizer, x, y) for x, y in pairs) / len(order)

# %% correct: PyTorch's batch sampler over a list, and a running mean

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
    for places in torch.utils.data.BatchSampler(order.tolist(), batch_size, drop_last=False):
        x = torch.stack([inputs[place] for place in places])
        y = torch.stack([targets[place] for place in places])
        loss = train_step_cpu(model, optimizer, x, y)
        seen += len(places)
        mean += (loss - mean) * len(places) / seen
    return mean
