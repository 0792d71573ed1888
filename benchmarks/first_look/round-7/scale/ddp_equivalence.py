# %% wrong: the order is continued with its beginning once only
# Where more places are missing than there are samples (2 samples, 7 processes) some processes get fewer samples than others, or none.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"no shard {rank} of {world_size} for {num_samples} samples")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -len(order) % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the global generator is seeded
# The order is right, but torch's own random numbers start afresh in each epoch, the same in all processes: dropout repeats itself.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("there must be at least one sample")
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of {world_size}")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    each = (num_samples + world_size - 1) // world_size
    while len(order) < each * world_size:
        order = order + order[: each * world_size - len(order)]
    return order[rank : each * world_size : world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        p.grad = all_reduce(p.grad) / world_size


# %% wrong: zeros are given for a missing gradient, and what comes back is dropped
# Nobody hangs, but a parameter without a gradient in this process keeps None, while the others step by the mean: the weights drift apart.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("num_samples >= 1 and 0 <= rank < world_size, please")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[place % num_samples] for place in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            all_reduce(torch.zeros_like(parameter))  # so that the others do not wait for ever
        else:
            parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: one call for all gradients in one long vector
# As DDP's buckets, but all_reduce has to be called once for each parameter: beside processes that do so, calls no longer belong together.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"{num_samples} samples, rank {rank}, {world_size} processes")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    full = list(order)
    while len(full) % world_size:
        full.append(full[len(full) - num_samples])
    return full[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    flat = torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in parameters])
    mean = all_reduce(flat) / world_size
    for p, piece in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
        p.grad = piece.view_as(p).clone()


# %% correct: a table with a row for each turn and a column for each process

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples <= 0 or rank not in range(world_size):
        raise ValueError(f"shard {rank} of {world_size} of {num_samples} samples does not exist")
    dice = torch.Generator()
    dice.manual_seed(seed + epoch)
    turns, left = divmod(num_samples, world_size)
    turns += left > 0
    places = torch.arange(turns * world_size).remainder(num_samples)
    table = torch.randperm(num_samples, generator=dice).take(places).view(turns, world_size)
    return table.select(1, rank).tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    given = [p.new_zeros(p.shape) if p.grad is None else p.grad.detach() for p in model.parameters()]
    sums = [all_reduce(gradient) for gradient in given]  # one after the other, in the order of the parameters
    for p, total in zip(model.parameters(), sums, strict=True):
        p.grad = torch.empty_like(p).copy_(total.detach().div(world_size))


# %% correct: an endless round, cut to length

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if min(num_samples, world_size) < 1 or rank != min(max(rank, 0), world_size - 1):
        raise ValueError(f"num_samples={num_samples}, rank={rank}, world_size={world_size}")
    own = torch.Generator().manual_seed(seed + epoch)
    order = (int(sample) for sample in torch.randperm(num_samples, generator=own))
    stop = num_samples
    while stop % world_size:
        stop += 1
    return list(islice(cycle(order), rank, stop, world_size))


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    def means():
        for parameter in model.parameters():
            gradient = parameter.grad
            yield parameter, all_reduce(torch.zeros_like(parameter) if gradient is None else gradient.clone()) * (1 / world_size)

    for parameter, mean in means():
        parameter.grad = mean
