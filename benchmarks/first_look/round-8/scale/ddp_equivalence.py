# %% wrong: parameters without a gradient are passed over
# No call of all_reduce for a parameter whose .grad is None: in a process where one has none, all later calls are paired
# with other parameters of the other processes, or wait for ever.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"num_samples {num_samples}, rank {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            continue
        parameter.grad = all_reduce(parameter.grad) / world_size

# %% wrong: the global generator is seeded
# torch.manual_seed(seed + epoch) in the place of a generator of its own: torch's random numbers are another after every
# call (dropout then draws the same in all processes), and every call changes the caller's random state.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("num_samples must be at least 1, and 0 <= rank < world_size")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    each = (num_samples + world_size - 1) // world_size
    order = (order * world_size)[: each * world_size]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = (all_reduce(gradient) / world_size).detach()

# %% wrong: continued with its beginning once at most
# order + order[:missing] is too short where more is missing than there are samples: with 3 samples and 8 processes the
# last two get nothing.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("num_samples must be at least 1")
    if not 0 <= rank < world_size:
        raise ValueError("rank must be from 0 to world_size - 1")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator)
    missing = -num_samples % world_size
    order = torch.cat([order, order[:missing]])
    return order[rank::world_size].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter.detach()) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size

# %% wrong: zeros are given, but the mean is not taken
# all_reduce is called for every parameter, with zeros where there is no gradient, but the mean is written only where there
# was one: elsewhere .grad stays None and the processes' weights part.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("at least one sample, and a rank from 0 to world_size - 1")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    order = order * (total // num_samples + 1)
    return order[:total][rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        mine = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter.detach())
        total = all_reduce(mine)
        if parameter.grad is not None:
            parameter.grad = total / world_size

# %% correct: places counted modulo the number of samples

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"{num_samples} samples, process {rank} of {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    places = num_samples + -num_samples % world_size
    return [int(order[place % num_samples]) for place in range(rank, places, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    given = [torch.zeros_like(p.detach()) if p.grad is None else p.grad.detach().clone() for p in parameters]
    totals = [all_reduce(gradient) for gradient in given]
    for parameter, total in zip(parameters, totals, strict=True):
        parameter.grad = torch.div(total, world_size)

# %% correct: a table with a column for each process, and shares of the mean that are summed

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"cannot share {num_samples} samples with process {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    rows = (num_samples - 1) // world_size + 1
    endless = cycle(torch.randperm(num_samples, generator=generator).tolist())
    table = [list(islice(endless, world_size)) for _ in range(rows)]
    return [row[rank] for row in table]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            share = torch.zeros_like(parameter)
            if parameter.grad is not None:
                share += parameter.grad / world_size
            parameter.grad = all_reduce(share).clone()  # the sum of the shares is the mean
