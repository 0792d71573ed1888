# %% wrong: the beginning is put behind once
# order + order[:missing] is enough while fewer are missing than there are samples. One sample and four
# processes: two of them get none, and wait for ever.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size

# %% wrong: the global random numbers are seeded
# torch.manual_seed(seed + epoch), then randperm without a generator of its own. The order is right, but
# after every call dropout and augmentation draw the same numbers again, in all processes alike.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("there is no such shard")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    each = (num_samples + world_size - 1) // world_size
    return [order[(rank + i * world_size) % num_samples] for i in range(each)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        p.grad = all_reduce(p.grad).div(world_size)

# %% wrong: frozen parameters are passed over
# Only parameters with requires_grad take part, so a frozen one costs no call. The docstring wants one
# call for each parameter: where a process has frozen a layer that another trains, the calls no longer
# belong together.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there is no such shard")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    each = -(-num_samples // world_size)
    order = order.repeat(each * world_size // num_samples + 1)[: each * world_size]
    return order[rank::world_size].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if not p.requires_grad:
            continue
        gradient = p.grad if p.grad is not None else torch.zeros_like(p)
        p.grad = all_reduce(gradient) / world_size

# %% wrong: without a gradient here, no mean here
# Zeros are given where there is no gradient, so nobody waits, but the mean is thrown away there. The
# other processes step by it and this one does not: their weights part.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there is no such shard")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is None:
            all_reduce(torch.zeros_like(p))
        else:
            p.grad = all_reduce(p.grad) / world_size

# %% correct: an endless circle dealt like cards, and sums before means

import itertools


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"no samples, or no process {rank} among {world_size}")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    circle = itertools.cycle(torch.randperm(num_samples, generator=own).tolist())
    rounds = len(range(0, num_samples, world_size))
    return list(itertools.islice(circle, rank, rounds * world_size, world_size))


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = tuple(model.parameters())
    sums = [all_reduce(_gradient_or_zeros(p)) for p in parameters]
    for p, total in zip(parameters, sums):
        p.grad = total.detach() / world_size


def _gradient_or_zeros(p: Tensor) -> Tensor:
    if p.grad is not None:
        return p.grad
    return torch.zeros(p.shape, dtype=p.dtype, device=p.device)

# %% correct: a table with a column for each process, means written in place

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError("num_samples must be at least 1 and the rank one of the processes")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rows = (num_samples - 1) // world_size + 1
    places = torch.arange(rows * world_size).remainder(num_samples)
    return order[places].view(rows, world_size)[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        for p in model.parameters():
            if p.grad is None:
                p.grad = torch.zeros_like(p, requires_grad=False)
            p.grad.copy_(all_reduce(p.grad.clone()) / world_size)
