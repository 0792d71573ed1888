# %% wrong: continued with the beginning only once
# order + order[:missing] is enough while fewer samples are missing than there are. With 2 samples
# and 5 processes it is not: some processes get none.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    order += order[: -num_samples % world_size]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        p.grad = all_reduce(torch.zeros_like(p) if p.grad is None else p.grad) / world_size


# %% wrong: what has no gradient here gets none
# Zeros are given for a parameter without a gradient, so nobody waits. But its .grad stays None in
# this process, while the others get the mean: they step apart.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[i % num_samples] for i in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is None:
            all_reduce(torch.zeros_like(p))
        else:
            p.grad = all_reduce(p.grad) / world_size


# %% wrong: the order from the global random numbers
# torch.manual_seed instead of a generator of its own. The samples are right, but every epoch puts
# the dropout of all processes back to the same random numbers.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[i % num_samples] for i in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        grad = torch.zeros_like(p) if p.grad is None else p.grad
        p.grad = all_reduce(grad) / world_size


# %% wrong: all_reduce is taken to work in place
# As torch.distributed's does. This one returns the sum as a tensor of its own, which is dropped
# here: each process keeps its own gradient, divided by their number.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[i % num_samples] for i in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        all_reduce(p.grad)
        p.grad /= world_size


# %% correct: dealt out like cards

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError(f"{num_samples} samples")
    if not (rank >= 0 and rank < world_size):
        raise ValueError(f"no process {rank} of {world_size}")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    cards = cycle(torch.randperm(num_samples, generator=own).tolist())
    mine = []
    for _ in range(-(-num_samples // world_size)):
        mine.append(list(islice(cards, world_size))[rank])
    return mine


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    def given(parameter: nn.Parameter) -> Tensor:
        if parameter.grad is not None:
            return parameter.grad.detach().clone()
        return parameter.detach().new_zeros(parameter.shape)

    parameters = [*model.parameters()]
    sums = [all_reduce(given(parameter)) for parameter in parameters]
    for parameter, total in zip(parameters, sums, strict=True):
        parameter.grad = torch.div(total, world_size)


# %% correct: rows of a table, one column for each process

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples <= 0 or rank < 0 or rank >= world_size:
        raise ValueError(f"process {rank} of {world_size} and {num_samples} samples")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rows = (num_samples + world_size - 1) // world_size
    table = order.repeat(1 + rows * world_size // num_samples)[: rows * world_size].reshape(rows, world_size)
    return table[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            mean = all_reduce(parameter.grad) / world_size
            parameter.grad.copy_(mean)
