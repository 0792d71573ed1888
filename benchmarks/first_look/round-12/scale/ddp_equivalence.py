# %% wrong: continued once only
# order + order[:missing] goes on with the beginning a single time. Where more are missing than there are samples (2 samples, 7
# processes) the shares are not equally long, and some may be empty.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such process")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order = order + order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the global generator is seeded
# torch.manual_seed in place of a generator of its own: the order is right, but every call of shard sets back the random numbers
# of the whole program (dropout, weights).

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("no samples, or no such process")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    total = (num_samples + world_size - 1) // world_size * world_size
    while len(order) < total:
        order += order[: total - len(order)]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient.detach()) / world_size


# %% wrong: parameters without a gradient are passed over
# Skips a parameter whose grad is None. A process that has none for it makes one call fewer than the others: the calls no longer
# belong together (or all wait forever), and the parameter gets no mean.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such process")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    order = (order * (total // num_samples + 1))[:total]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: the sum is expected in place
# Takes all_reduce for one that changes its argument, as torch.distributed's does, and drops what it returns: every process keeps
# its own gradient, divided by world_size.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no samples, or no such process")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    return [order[(rank + i * world_size) % num_samples] for i in range(each)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size


# %% correct: places counted modulo the number of samples

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("there is nothing to share out")
    if rank not in range(world_size):
        raise ValueError(f"process {rank} is none of {world_size}")
    dice = torch.Generator()
    dice.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=dice)
    each = 1 + (num_samples - 1) // world_size
    places = torch.arange(each) * world_size + rank
    return order.take(places % num_samples).tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    """First all the calls, then all the means."""
    parameters = list(model.parameters())
    mine = [torch.zeros_like(p.detach()) if p.grad is None else p.grad.detach().clone() for p in parameters]
    sums = list(map(all_reduce, mine))
    for p, total in zip(parameters, sums, strict=True):
        p.grad = torch.div(total.detach(), world_size)


# %% correct: dealt out round by round

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    hands: list[list[int]] = [[] for _ in range(world_size)]
    dealt = 0
    while dealt < num_samples or dealt % world_size:
        hands[dealt % world_size].append(order[dealt % num_samples])
        dealt += 1
    return hands[rank]


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for _, parameter in model.named_parameters():
        given = parameter.new_zeros(parameter.shape)
        if parameter.grad is not None:
            given.add_(parameter.grad)
        parameter.grad = all_reduce(given).mul(1 / world_size)
