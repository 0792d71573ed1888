# %% wrong: continued once only
# The order is continued with its first `missing` numbers: where there are fewer samples than processes' gaps (2 samples, 5 processes) that is not enough, and some get nothing. A good message: "num_samples = 2, world_size = 5: every process must have one sample (over again, if need be)".

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("out of range")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(grad) / world_size

# %% wrong: parameters without a gradient left out
# Where .grad is None nothing is called: this process makes fewer calls than the others, the n-th calls no longer belong together (on real machines: waiting for ever). A good message: "process 1 called all_reduce 3 times, 4 parameters: give zeros".

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"{num_samples=}, {rank=}, {world_size=}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator)
    length = -(-num_samples // world_size) * world_size
    order = order.repeat(-(-length // num_samples))[:length]
    return order[rank::world_size].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad = all_reduce(parameter.grad) / world_size

# %% wrong: the global random state, in pieces, and a sum that is thrown away
# torch.manual_seed changes everybody's random numbers; process r takes a block, not the places r, r + world_size, ...; and what all_reduce RETURNS is dropped, as if it worked in place. A good message: "torch's global random state has changed"; "rank 0 of 2 takes the places 0, 2, 4"; "all_reduce returns the sum".

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("out of range")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    each = len(order) // world_size
    return order[rank * each : (rank + 1) * each]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size

# %% correct: places modulo the number of samples

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError(f"num_samples must be at least 1, got {num_samples}")
    if rank not in range(world_size):
        raise ValueError(f"rank {rank} of {world_size}")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    rounds = (num_samples + world_size - 1) // world_size
    return [order[(rank + r * world_size) % num_samples] for r in range(rounds)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    def given(parameter: Tensor) -> Tensor:
        return torch.zeros_like(parameter.detach()) if parameter.grad is None else parameter.grad.detach().clone()

    parameters = list(model.parameters())
    sums = [all_reduce(given(parameter)) for parameter in parameters]
    for parameter, total in zip(parameters, sums):
        parameter.grad = total / world_size

# %% correct: an endless order, cut

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    from itertools import cycle, islice

    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"{num_samples} samples, process {rank} of {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    even = num_samples + (-num_samples) % world_size
    return list(islice(cycle(order), rank, even, world_size))


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        local = parameter.grad if parameter.grad is not None else parameter.new_zeros(parameter.shape)
        parameter.grad = torch.true_divide(all_reduce(local.clone()), world_size)
