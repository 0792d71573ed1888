# %% wrong: the global random numbers are seeded
# "with a generator of its own": torch.manual_seed sets the program's random numbers back in every epoch, so dropout after each call
# of shard draws the same again ("it leaves ... the settings of PyTorch as they were"). The order returned is right.


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and rank in 0, ..., world_size - 1")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    begin = list(order)
    while len(order) % world_size:
        order.append(begin[len(order) % num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the order is continued only once
# "over again, if need be": order[:missing] has at most num_samples places, so with world_size > 2 * num_samples (3 samples, 8
# processes) the later ranks get nothing, and not every process gets as many.


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("there must be a sample")
    if rank < 0 or rank >= world_size:
        raise ValueError(f"rank {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: the mean is kept only where there was a gradient
# "Afterwards each parameter's .grad is the mean": a parameter without a gradient here gives its zeros, as asked, but its .grad stays
# None. Where another process had a gradient for it, that one steps and this one does not, and the copies drift apart.


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("shard: num_samples >= 1 and 0 <= rank < world_size")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = (num_samples + world_size - 1) // world_size
    return [order[(rank + place * world_size) % num_samples] for place in range(each)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            all_reduce(torch.zeros_like(parameter))  # only so that the others do not wait
        else:
            parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: frozen parameters are left out
# "every process calls it once for each parameter, in the order of model.parameters()": a parameter with requires_grad=False gets no
# call and no .grad. Where a process has frozen another set than the others, the calls no longer belong together.


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"cannot share {num_samples} samples out: rank {rank}, world_size {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = -(-num_samples // world_size) * world_size
    order = (order * (total // num_samples + 1))[:total]
    return order[rank:total:world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if not parameter.requires_grad:  # nothing to average
            continue
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient) / world_size


# %% correct: an endless circle of samples, cut to size
from itertools import cycle, islice
from math import ceil


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"no share for rank {rank} of {world_size} with {num_samples} samples")
    own = torch.Generator(device="cpu")
    own.manual_seed(seed + epoch)
    circle = cycle(torch.randperm(num_samples, generator=own, device="cpu").tolist())
    return list(islice(circle, rank, world_size * ceil(num_samples / world_size), world_size))


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = [*model.parameters()]
    given = [torch.zeros_like(p, requires_grad=False) if p.grad is None else p.grad for p in parameters]
    sums = list(map(all_reduce, given))
    for parameter, total in zip(parameters, sums, strict=True):
        parameter.grad = torch.true_divide(total.detach(), world_size)


# %% correct: places counted modulo the samples, in tensors


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError("num_samples >= 1 and 0 <= rank < world_size are needed")
    generator = torch.Generator().manual_seed(epoch + seed)
    order = torch.randperm(num_samples, generator=generator)
    rounds = (num_samples - 1) // world_size + 1
    table = torch.arange(rounds * world_size).remainder(num_samples).view(rounds, world_size)  # a column for each process
    return order[table[:, rank]].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            given = parameter.new_zeros(parameter.shape)
            if parameter.grad is not None:
                given += parameter.grad
            mean = all_reduce(given).clone()
            mean /= world_size
            parameter.grad = mean
