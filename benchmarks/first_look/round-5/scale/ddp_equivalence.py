# %% wrong: the order comes from the global random state
# torch.manual_seed is called in shard: the order is right, but the random numbers of the training itself are set back in every epoch.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and rank from 0 to below world_size")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    while len(order) % world_size:
        order = order + order[: min(world_size - len(order) % world_size, num_samples)]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        grad = p.grad if p.grad is not None else torch.zeros_like(p)
        p.grad = all_reduce(grad) / world_size


# %% wrong: continued with its beginning only once
# order + order[:missing] has at most num_samples more; where more are missing, as for 2 samples and 5 processes, some processes get nothing.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("num_samples must be at least 1")
    if rank < 0 or rank >= world_size:
        raise ValueError("rank must be in range(world_size)")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: all_reduce is thought to work in place
# As in torch.distributed the result is looked for in the tensor that was given; the sum that comes back is thrown away.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("bad arguments")
    g = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=g).tolist()
    per_process = (num_samples + world_size - 1) // world_size
    repeated = order * world_size
    return repeated[: per_process * world_size][rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        all_reduce(p.grad)
        p.grad /= world_size


# %% wrong: one call for all gradients
# All gradients are joined into one vector and summed in a single call, as DDP's buckets do; one call for each parameter is asked for.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not (0 <= rank < world_size):
        raise ValueError("rank and num_samples do not fit")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator)
    length = -(-num_samples // world_size) * world_size
    copies = -(-length // num_samples)
    return order.repeat(copies)[:length][rank::world_size].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    flat = torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in parameters])
    mean = all_reduce(flat) / world_size
    for p, part in zip(parameters, mean.split([p.numel() for p in parameters])):
        p.grad = part.view_as(p).clone()


# %% wrong: a parameter without gradient stays without
# It sends its zeros, but the mean that comes back is not stored where .grad is None, so the processes step differently.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("there must be at least one sample")
    if not 0 <= rank < world_size:
        raise ValueError("rank must be at least 0 and below world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    i = 0
    while len(order) % world_size != 0:
        order.append(order[i])
        i += 1
    return [order[place] for place in range(rank, len(order), world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is not None:
            total = all_reduce(p.grad)
            p.grad.copy_(total / world_size)
        else:
            all_reduce(torch.zeros_like(p))


# %% correct: places counted round the order

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"process {rank} of {world_size} cannot share {num_samples} samples")
    own = torch.Generator(device="cpu")
    own.manual_seed(seed + epoch)
    order = [int(sample) for sample in torch.randperm(num_samples, generator=own)]
    turns = 1 + (num_samples - 1) // world_size
    return [order[(rank + turn * world_size) % num_samples] for turn in range(turns)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    sums = []
    for parameter in model.parameters():
        given = parameter.grad
        sums.append(all_reduce(torch.zeros_like(parameter.detach()) if given is None else given.clone()))
    for parameter, total in zip(model.parameters(), sums, strict=True):
        parameter.grad = torch.div(total, world_size)


# %% correct: hands dealt like cards

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError("at least one sample, and a rank from 0 to below world_size")
    shuffler = torch.Generator().manual_seed(seed + epoch)
    cards = cycle(torch.randperm(num_samples, generator=shuffler).tolist())
    hand, dealt = [], 0
    while dealt < num_samples:
        hand.append(list(islice(cards, world_size))[rank])
        dealt += world_size
    return hand


@torch.no_grad()
def _mean_gradient(parameter, all_reduce, world_size):
    if parameter.grad is None:
        parameter.grad = torch.full_like(parameter, 0.0)
    return all_reduce(parameter.grad) / world_size


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for _name, parameter in model.named_parameters():
        parameter.grad = _mean_gradient(parameter, all_reduce, world_size)
