# %% wrong: each process takes a piece in one stretch
# Process r takes the r-th stretch of the order and not the places r, r + world_size, and so on.
# Hint: with two processes, which places does process 1 take?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    order = (order * (1 + world_size * each // num_samples))[: world_size * each]
    return order[rank * each : (rank + 1) * each]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient.detach()) / world_size


# %% wrong: what all_reduce returns is ignored
# all_reduce is called as if it changed its argument, as torch.distributed does; here it returns the sum, so each process keeps its own gradient over world_size.
# Hint: `a function, tensor -> the sum`: where does the sum go in your code?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    order = (order * (1 + world_size * each // num_samples))[: world_size * each]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size


# %% wrong: parameters without a gradient are passed over
# Where a parameter has no gradient in this process all_reduce is not called, so the calls of the processes no longer belong together and all of them wait, or add wrong tensors.
# Hint: another process may have a gradient there: what does it wait for, and what can you give?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    each = -(-num_samples // world_size)
    order = (order * (1 + world_size * each // num_samples))[: world_size * each]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad = all_reduce(parameter.grad) / world_size


# %% wrong: continued with its beginning only once
# The order is continued by a slice of itself, which is too short where there are fewer samples than missing places; then some processes get fewer samples, or none.
# Hint: three samples and eight processes: how many does process 7 get?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and 0 <= rank < world_size")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order = order + order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient.detach()) / world_size


# %% correct: places counted round the order

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not num_samples >= 1:
        raise ValueError(f"there must be a sample, got {num_samples}")
    if rank not in range(world_size):
        raise ValueError(f"rank must be from 0 to below {world_size}, got {rank}")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=own)
    rounds = (num_samples + world_size - 1) // world_size
    places = (rank + world_size * torch.arange(rounds)).remainder(num_samples)
    return order[places].tolist()


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    def given(parameter: Tensor) -> Tensor:
        return parameter.new_zeros(parameter.shape) if parameter.grad is None else parameter.grad.clone()

    sums = [all_reduce(given(parameter)) for parameter in model.parameters()]
    for parameter, total in zip(model.parameters(), sums, strict=True):
        parameter.grad = total.div(world_size).view_as(parameter)


# %% correct: dealt out like cards

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    from itertools import cycle

    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("needs a sample, and a rank from 0 to below world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    hands: list[list[int]] = [[] for _ in range(world_size)]
    dealt = 0
    cards = cycle(order)
    while dealt < num_samples:  # a round more as long as not all samples are out
        for hand in hands:
            hand.append(next(cards))
            dealt += 1
    return hands[rank]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for _, parameter in model.named_parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter.data)
        total = all_reduce(parameter.grad)
        with torch.no_grad():
            parameter.grad.copy_(total / world_size)
