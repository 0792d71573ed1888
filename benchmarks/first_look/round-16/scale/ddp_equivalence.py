# %% wrong: the last sample fills up
# Where world_size does not divide num_samples the order is continued with its last sample, not with its beginning. Shows for
# shard(7, rank=3, world_size=4, epoch=0), the rank that takes the place filled up.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such rank")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    while len(order) % world_size:
        order.append(order[num_samples - 1])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        own = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(own.detach()) / world_size


# %% wrong: one call for all gradients
# All gradients are laid end to end and sent by a single call, in one bucket as DDP does: not one call for each parameter,
# and the calls do not fit those of the other processes. Any model with two parameters or more.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such rank")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    repeated = (order * (total // num_samples + 1))[:total]
    return repeated[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    flat = torch.cat([
        (torch.zeros_like(p) if p.grad is None else p.grad).detach().flatten() for p in parameters
    ])
    mean = all_reduce(flat) / world_size
    for parameter, part in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
        parameter.grad = part.view_as(parameter).clone()


# %% wrong: believes that all_reduce works in place
# As with torch.distributed.all_reduce, the returned sum is ignored, and the process's own gradient is divided. Shows for
# world_size > 1, as all_reduce gives the sum as a tensor of its own.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such rank")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    repeated = (order * (total // num_samples + 1))[:total]
    return repeated[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size


# %% wrong: leaves out frozen parameters
# Parameters with requires_grad False are skipped: where they are frozen here and not in another process the calls no longer
# belong together. The docstring says one call for each parameter, in the order of model.parameters().

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such rank")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    repeated = (order * (total // num_samples + 1))[:total]
    return repeated[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        own = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(own.detach()) / world_size


# %% correct: places modulo the number of samples

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such rank")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rounds = (num_samples + world_size - 1) // world_size
    places = (rank + world_size * torch.arange(rounds)) % num_samples
    return order[places].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        given = parameter.grad
        if given is None:
            given = parameter.detach().new_zeros(parameter.shape)
        parameter.grad = all_reduce(given.detach().clone()).div(world_size)


# %% correct: hands out a cycle, like cards

from itertools import cycle, islice

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such rank")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    deck = cycle(order)
    mine = []
    dealt = 0
    while dealt < num_samples:
        mine.append(list(islice(deck, world_size))[rank])
        dealt += world_size
    return mine


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        sums = [
            all_reduce(torch.zeros_like(p) if p.grad is None else p.grad.clone()) for p in model.parameters()
        ]
        for p, total in zip(model.parameters(), sums, strict=True):
            p.grad = torch.true_divide(total, world_size)
