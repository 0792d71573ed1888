# %% wrong: continued once only
# The order is continued with its own beginning, but at most once over: for 2 samples and 5 processes there are 4 numbers in place
# of 5, and the last process gets none.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need at least one sample, and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = parameter.grad
        if gradient is None:
            gradient = torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient) / world_size

# %% wrong: the sum is not taken
# As with dist.all_reduce, the function is expected to write into the tensor that it is given. It returns the sum as a tensor of
# its own: here each .grad becomes the process's own gradient divided by world_size.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("need at least one sample, and 0 <= rank < world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    each = -(-num_samples // world_size)
    places = rank + world_size * torch.arange(each)
    return order[places % num_samples].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size

# %% wrong: frozen parameters left out
# A parameter with requires_grad=False is passed over. It belongs to model.parameters() and has to be given, as zeros; where it is
# frozen in one process and not in another, the calls no longer belong together.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"rank {rank} of {world_size}, {num_samples} samples")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    full = list(order)
    while len(full) % world_size:
        full.append(order[len(full) % num_samples])
    return full[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size

# %% wrong: the global generator is seeded
# The order is right, but torch.manual_seed also sets the random numbers of everything else: after shard, dropout's masks and
# new weights are the same in every process and epoch with that sum. A generator of its own was asked for.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("num_samples must be at least 1")
    if not 0 <= rank < world_size:
        raise ValueError("rank must be in range(world_size)")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    total = math_ceil(num_samples, world_size) * world_size
    return [order[place % num_samples] for place in range(rank, total, world_size)]


def math_ceil(number: int, by: int) -> int:
    return (number + by - 1) // by


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        own = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(own).div(world_size)

# %% correct: a table of one column for each process
def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank not in range(world_size):
        raise ValueError(f"no shard {rank} of {world_size} for {num_samples} samples")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=own)
    rows = (num_samples + world_size - 1) // world_size
    needed = rows * world_size
    copies = -(-needed // num_samples)
    return order.repeat(copies)[:needed].reshape(rows, world_size)[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    sums = []
    for parameter in parameters:
        given = torch.zeros_like(parameter).detach()
        if parameter.grad is not None:
            given.copy_(parameter.grad.detach())
        sums.append(all_reduce(given))
    for parameter, total in zip(parameters, sums, strict=True):
        parameter.grad = (total / world_size).detach()

# %% correct: an endless order, read in steps
import itertools


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError("need num_samples >= 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(epoch + seed)
    order = [int(number) for number in torch.randperm(num_samples, generator=generator)]
    stop = num_samples
    while stop % world_size != 0:
        stop += 1
    return list(itertools.islice(itertools.cycle(order), rank, stop, world_size))


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = parameter.new_zeros(parameter.shape)
        mean = all_reduce(parameter.grad.clone()) / world_size
        parameter.grad.copy_(mean)
