# %% wrong: the global generator is seeded
# torch.manual_seed(seed + epoch) gives the same order, and resets everybody's random numbers: shows in
# torch.get_rng_state() after the call (equal dropout in all processes, every epoch).

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: continued once only
# order + order[:missing] is too short where more is missing than there is: 2 samples for 5 processes give the last
# process an empty list.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order = order + order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the sum is expected in place
# all_reduce returns the sum as a tensor of its own. Here it is dropped, as with dist.all_reduce, and every process
# keeps its own gradient, divided by world_size.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator)
    total = -(-num_samples // world_size) * world_size
    return order[torch.arange(total) % num_samples][rank::world_size].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size


# %% wrong: zeros are sent, and the mean is not taken
# A parameter without a gradient here takes part in the exchange, but its .grad stays None: this process does not
# move it, the others do. Shows where one process has no gradient for a parameter and another has.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[place % num_samples] for place in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            all_reduce(torch.zeros_like(parameter))  # the others wait for this call
            continue
        parameter.grad = all_reduce(parameter.grad) / world_size


# %% correct: an endless round, dealt out like cards

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    deck = cycle(torch.randperm(num_samples, generator=generator).tolist())
    mine, dealt = [], 0
    while dealt < num_samples:
        hand = list(islice(deck, world_size))
        mine.append(hand[rank])
        dealt += world_size
    return mine


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    def given(parameter: Tensor) -> Tensor:
        return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()

    parameters = list(model.parameters())
    sums = list(map(all_reduce, map(given, parameters)))
    for parameter, total in zip(parameters, sums, strict=True):
        parameter.grad = torch.div(total, world_size)


# %% correct: a table with a column for each process

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rows = (num_samples + world_size - 1) // world_size
    often = (rows * world_size + num_samples - 1) // num_samples
    table = order.repeat(often)[: rows * world_size].view(rows, world_size)
    return table.select(1, rank).tolist()


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for _, parameter in model.named_parameters():
        own = parameter.grad
        if own is None:
            own = parameter.new_zeros(parameter.shape)
        mean = all_reduce(own).div(world_size)
        parameter.grad = mean.to(parameter.dtype)
