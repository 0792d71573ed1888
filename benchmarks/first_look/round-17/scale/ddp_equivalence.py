# %% wrong: seeds everybody's generator
# torch.manual_seed in shard gives the right order, but sets the global random numbers anew each epoch, where
# the docstring asks for a generator of its own. Shows in torch.rand after a call of shard.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need num_samples >= 1 and 0 <= rank < world_size")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    total = -(-num_samples // world_size) * world_size
    while len(order) < total:
        order += order[: total - len(order)]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size

# %% wrong: who had no gradient gets none
# Zeros are given for a parameter without a gradient, so nobody waits, but the mean is written only where there
# was one. Shows where this process has no gradient for a parameter and another has: .grad stays None.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need num_samples >= 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    return (order * world_size)[: each * world_size][rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            all_reduce(torch.zeros_like(parameter))
        else:
            parameter.grad = all_reduce(parameter.grad) / world_size

# %% wrong: expects the sum in place
# torch.distributed.all_reduce writes into the tensor that it is given; this all_reduce returns the sum as a tensor of
# its own, which is dropped. Each process keeps its own gradient, divided. Shows for a world_size of 2 or more.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need num_samples >= 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    return (order * world_size)[: each * world_size][rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size

# %% wrong: frozen parameters are passed over
# Parameters with requires_grad=False are not exchanged, so the calls are fewer than the parameters. Shows for
# a model with a frozen parameter: it has no gradient, and the docstring has zeros given for it.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need num_samples >= 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    return (order * world_size)[: each * world_size][rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size

# %% correct: places modulo the number of samples, and gradients as a list

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and rank >= 0 and world_size > rank):
        raise ValueError(f"no shard {rank} of {world_size} for {num_samples} samples")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=own)
    rounds = (num_samples + world_size - 1) // world_size
    return [int(order[(rank + turn * world_size) % num_samples]) for turn in range(rounds)]


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    given = [p.grad if p.grad is not None else torch.zeros_like(p) for p in parameters]
    sums = [all_reduce(gradient) for gradient in given]
    for parameter, total in zip(parameters, sums, strict=True):
        parameter.grad = torch.div(total, world_size)

# %% correct: an endless round of samples, dealt like cards

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    import itertools

    if num_samples < 1 or rank not in range(world_size):
        raise ValueError("there must be a sample, and the rank must lie in the world")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    dealt = itertools.cycle(order.tolist())
    hand: list[int] = []
    taken = 0
    while taken < num_samples:
        cards = list(itertools.islice(dealt, world_size))
        hand.append(cards[rank])
        taken += world_size
    return hand


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for _, parameter in model.named_parameters():
        if parameter.grad is None:
            parameter.grad = parameter.detach().new_zeros(parameter.shape)
        mean = all_reduce(parameter.grad.detach().clone()).div(world_size)
        parameter.grad = None
        parameter.grad = mean
