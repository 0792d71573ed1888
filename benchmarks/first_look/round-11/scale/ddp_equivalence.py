# %% wrong: filled up once only
# The order is continued with its first `missing` samples, which are not there where world_size is more than twice
# num_samples: for 2 samples and 5 processes three are missing, and two are added.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need num_samples of at least 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: what all_reduce returns is dropped
# all_reduce is used like torch.distributed's, which sums in place. Here the sum comes back as a tensor of its own, so
# each process divides its own gradient by world_size. Shows for two processes whose gradients differ.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"no shard {rank} of {world_size} for {num_samples} samples")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    while len(order) % world_size:
        order += order[: min(num_samples, world_size - len(order) % world_size)]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            all_reduce(parameter.grad)
            parameter.grad /= world_size


# %% wrong: no gradient stays no gradient
# A parameter without one gives zeros to all_reduce, so nobody waits, but its .grad stays None: this process does not step
# it, the others do. Shows for a parameter that has no gradient here.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("bad sizes")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    per_process = math.ceil(num_samples / world_size)
    order = order * world_size
    return order[: per_process * world_size][rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.copy_(all_reduce(parameter.grad) / world_size)
        else:
            all_reduce(torch.zeros_like(parameter))


# %% wrong: the global generator is seeded
# torch.manual_seed in place of a generator of its own: the order is the right one, but torch's random numbers are set back
# at each call, so that dropout draws the same in every epoch. Shows in torch.get_rng_state().

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} of {world_size}, {num_samples} samples")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples)
    places = torch.arange(rank, math.ceil(num_samples / world_size) * world_size, world_size)
    return order[places % num_samples].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        mine = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(mine).div(world_size)


# %% correct: a table with a column for each process

# The order, repeated, is cut into rows of world_size. Gradients are gathered first, then exchanged, then put back.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"num_samples {num_samples}, rank {rank}, world_size {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rows = (num_samples + world_size - 1) // world_size
    times = -(-rows * world_size // num_samples)
    table = order.repeat(times)[: rows * world_size].view(rows, world_size)
    return table[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    given = [torch.zeros_like(p) if p.grad is None else p.grad.detach().clone() for p in parameters]
    sums = list(map(all_reduce, given))
    for parameter, total in zip(parameters, sums, strict=True):
        parameter.grad = total / world_size


# %% correct: an endless cycle of samples

# itertools deals the samples out one after the other; the given gradient is a copy, added into zeros.

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"there is no shard {rank} of {world_size} over {num_samples} samples")
    own = torch.Generator(device="cpu")
    own.manual_seed(seed + epoch)
    order = [int(sample) for sample in torch.randperm(num_samples, generator=own)]
    dealt = num_samples
    while dealt % world_size:
        dealt += 1
    return list(islice(cycle(order), rank, dealt, world_size))


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        given = torch.zeros_like(parameter)
        if parameter.grad is not None:
            given += parameter.grad
        parameter.grad = all_reduce(given).clone().div_(world_size)
