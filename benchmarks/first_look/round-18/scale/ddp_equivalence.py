# %% wrong: skips parameters without a gradient
# A process where a parameter has no gradient calls less often than the others.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no such shard")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[i % num_samples] for i in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        if p.grad is not None:
            p.grad = all_reduce(p.grad) / world_size

# %% wrong: continued once
# order + order[:missing] is too short where num_samples is less than half of world_size (1 sample, 4 processes).

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no such shard")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = -(-num_samples // world_size) * world_size
    order = order + order[: total - num_samples]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        g = torch.zeros_like(p) if p.grad is None else p.grad
        p.grad = all_reduce(g.detach()) / world_size

# %% wrong: blocks, not every world_size-th
# Rank r gets a contiguous block: any world_size above 1 with several samples each.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no such shard")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = -(-num_samples // world_size) * world_size
    each = total // world_size
    return [order[i % num_samples] for i in range(rank * each, (rank + 1) * each)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        g = torch.zeros_like(p) if p.grad is None else p.grad
        p.grad = all_reduce(g.detach()) / world_size

# %% wrong: the sum, not the mean
# world_size above 1: gradients too large by that factor.

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("no such shard")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = -(-num_samples // world_size) * world_size
    return [order[i % num_samples] for i in range(rank, total, world_size)]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        g = torch.zeros_like(p) if p.grad is None else p.grad
        p.grad = all_reduce(g.detach())

# %% correct: padded with repeat and viewed as a grid

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and world_size > rank >= 0):
        raise ValueError(f"{num_samples} samples, rank {rank} of {world_size}")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=own)
    each = (num_samples + world_size - 1) // world_size
    return order.repeat(world_size + 1)[: each * world_size].view(each, world_size)[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for p in model.parameters():
        g = torch.zeros_like(p) if p.grad is None else p.grad
        p.grad = all_reduce(g.detach()) / world_size

# %% correct: cycle and islice, gradients in two passes

from itertools import cycle, islice


def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError("rank or number of samples out of range")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    whole = num_samples + (-num_samples) % world_size
    return list(islice(cycle(order.tolist()), rank, whole, world_size))


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    with torch.no_grad():
        given = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]
        sums = [all_reduce(g) for g in given]
        for p, s in zip(model.parameters(), sums, strict=True):
            p.grad = s.div(world_size)

