# %% wrong: the order is continued only once
# order + order[:missing] is too short where world_size is more than twice num_samples: the last processes get nothing.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("num_samples must be at least 1 and rank in [0, world_size)")
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    missing = -num_samples % world_size
    order += order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the global generator is seeded
# torch.manual_seed sets the random numbers of the whole program, where the order should have a generator of its own.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError(f"num_samples must be at least 1, got {num_samples}")
    if rank < 0 or rank >= world_size:
        raise ValueError(f"rank {rank} is not in 0..{world_size - 1}")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    while len(order) % world_size != 0:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        grad = p.grad if p.grad is not None else torch.zeros_like(p)
        p.grad = all_reduce(grad) / world_size


# %% wrong: all_reduce is taken to work in place
# As with torch.distributed the result of all_reduce is thrown away; each process divides its own gradient only.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("bad num_samples, rank or world_size")
    g = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=g).tolist()
    per_process = (num_samples + world_size - 1) // world_size
    return [order[(rank + i * world_size) % num_samples] for i in range(per_process)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for param in model.parameters():
        if param.grad is None:
            param.grad = torch.zeros_like(param)
        all_reduce(param.grad)
        param.grad /= world_size


# %% wrong: one call for all gradients in one vector
# all_reduce is called once with everything flattened together, where it should be called once for each parameter.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not (0 <= rank < world_size):
        raise ValueError("shard: wrong arguments")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    length = -(-num_samples // world_size) * world_size
    return order[torch.arange(length) % num_samples][rank::world_size].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    mean = all_reduce(flat) / world_size  # one message is faster than many
    for p, piece in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
        p.grad = piece.view_as(p).clone()


# %% wrong: no gradient here stays none, and rank may be world size
# A process without a gradient sends zeros but does not take the mean, so its parameter is not stepped; and rank ==
# world_size passes the test.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank > world_size:
        raise ValueError(f"cannot shard {num_samples} samples for rank {rank} of {world_size}")
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator).tolist()
    whole = list(order)
    while len(whole) % world_size:
        whole.extend(order[: world_size - len(whole) % world_size])
    return whole[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            all_reduce(torch.zeros_like(parameter))  # so that nobody waits for us
        else:
            parameter.grad = all_reduce(parameter.grad) / world_size


# %% correct: cycle and islice, and all sums before any mean

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("there must be at least one sample")
    if rank not in range(world_size):
        raise ValueError(f"there is no process {rank} among {world_size}")
    own = torch.Generator()
    own.manual_seed(epoch + seed)
    order = torch.randperm(num_samples, generator=own).tolist()
    rounds = 1 + (num_samples - 1) // world_size
    return list(islice(cycle(order), rank, rounds * world_size, world_size))


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    weights = tuple(model.parameters())

    def own_gradient(weight: Tensor) -> Tensor:
        if weight.grad is not None:
            return weight.grad.detach()
        return torch.zeros(weight.shape, dtype=weight.dtype, device=weight.device)

    sums = [all_reduce(own_gradient(weight)) for weight in weights]
    for weight, total in zip(weights, sums, strict=True):
        weight.grad = total / world_size


# %% correct: a table with one column for each process

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"num_samples {num_samples}, rank {rank}, world_size {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rows = -(-num_samples // world_size)
    copies = -(-rows * world_size // num_samples)
    table = order.repeat(copies)[: rows * world_size].reshape(rows, world_size)
    return [int(number) for number in table[:, rank]]


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for name, parameter in model.named_parameters(remove_duplicate=True):
        mine, parameter.grad = parameter.grad, None
        total = all_reduce(parameter.new_zeros(parameter.shape) if mine is None else mine)
        parameter.grad = torch.true_divide(total, world_size)
