# %% wrong: continued with its own beginning only once
# The order is lengthened by one piece of itself. Shows where more is missing than there are samples, as with 1
# sample and 4 processes: some processes get nothing.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1, and rank in 0 ... world_size - 1")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the global generator is seeded
# The order is right, but torch.manual_seed starts the random numbers of the whole program anew. Shows in whatever is
# drawn afterwards: dropout is the same after every call, and in all processes.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError(f"num_samples must be at least 1, not {num_samples}")
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not one of {world_size} processes")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    length = (num_samples + world_size - 1) // world_size * world_size
    while len(order) < length:
        order = order + order[: length - len(order)]
    return order[rank:length:world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: all_reduce is taken to work in place
# As in torch.distributed; but here the sum is what it returns. Shows for every all_reduce that leaves its argument
# alone: each process keeps its own gradient, divided by world_size.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no such shard")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    padded = (order * world_size)[: each * world_size]
    return padded[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size


# %% wrong: zeros are sent, and nothing is taken back
# A parameter without a gradient takes part in the call, but the mean is given only to those that had one. Shows
# where another process has a gradient for it: the processes do not stay equal.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("num_samples must be at least 1, and 0 <= rank < world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[place % num_samples] for place in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad = all_reduce(parameter.grad) / world_size
        else:
            all_reduce(torch.zeros_like(parameter))


# %% correct: a circle that is walked around

import itertools


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"there is no share {rank} of {world_size} of {num_samples} samples")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    circle = itertools.cycle(torch.randperm(num_samples, generator=own).tolist())
    rounds = (num_samples + world_size - 1) // world_size
    return list(itertools.islice(circle, rank, rounds * world_size, world_size))


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        means = []
        for parameter in model.parameters():
            given = parameter.new_zeros(parameter.shape) if parameter.grad is None else parameter.grad.clone()
            means.append(torch.div(all_reduce(given), world_size))
        for parameter, mean in zip(model.parameters(), means, strict=True):
            parameter.grad = mean


# %% correct: a table with a column for each process

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"num_samples {num_samples}, rank {rank}, world_size {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(epoch + seed))
    rows = 1 + (num_samples - 1) // world_size
    table = order[torch.arange(rows * world_size).remainder(num_samples)].view(rows, world_size)
    return table[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        total = all_reduce(torch.zeros_like(parameter.data) if parameter.grad is None else parameter.grad.detach())
        if parameter.grad is None:
            parameter.grad = torch.empty_like(parameter.data)
        parameter.grad = torch.true_divide(total.detach(), world_size, out=torch.empty_like(parameter.grad))
