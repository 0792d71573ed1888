# %% wrong: continued only once
# Fills the order up with its own beginning once. Where there are more than twice as many processes as samples that is
# not enough, and some processes get fewer samples than others, or none.
# Hint: two samples and five processes: how long is your list, and how long must it be?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there must be a sample, and 0 <= rank < world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    missing = -num_samples % world_size
    order = order + order[:missing]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the global random state seeded
# Calls torch.manual_seed in place of a generator of its own. The order is right, but every call of shard sets the random
# numbers of the whole program, and dropout draws the same masks again in each epoch of a number.
# Hint: draw a number before and after a call of shard. Does the call change what comes next?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there must be a sample, and 0 <= rank < world_size")
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()
    each = -(-num_samples // world_size)
    order = (order * world_size)[: each * world_size]
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size


# %% wrong: the sum expected in place
# Calls all_reduce and divides the gradient that it handed over, as one would with torch.distributed's function, which
# writes the sum into its argument. This one returns the sum, and here it is thrown away.
# Hint: what does all_reduce return by the docstring, and what do you do with it?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there must be a sample, and 0 <= rank < world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= world_size


# %% wrong: all gradients in one call
# Puts all gradients into one long vector and calls all_reduce once, as DDP's buckets do. The means are right where every
# process does the same, but the others were promised one call for each parameter, and would wait for ever.
# Hint: count the calls of all_reduce. How many does the docstring ask for?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there must be a sample, and 0 <= rank < world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    parameters = list(model.parameters())
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    mean = all_reduce(torch.cat([g.flatten() for g in gradients])) / world_size
    for parameter, part in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
        parameter.grad = part.view_as(parameter).clone()


# %% wrong: no gradient kept where there was none
# Gives zeros for a parameter without a gradient, so that nobody waits, and then drops the sum: its .grad stays None,
# though other processes may have had one. Their copies of the parameter move and this one does not.
# Hint: process 0 has a gradient of 2 and process 1 has none. What must .grad be in process 1 afterwards?

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1 or not 0 <= rank < world_size:
        raise ValueError("there must be a sample, and 0 <= rank < world_size")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    while len(order) % world_size:
        order.append(order[len(order) - num_samples])
    return order[rank::world_size]


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            all_reduce(torch.zeros_like(parameter))  # take part, so that the others need not wait
        else:
            parameter.grad = all_reduce(parameter.grad) / world_size


# %% correct: places by arithmetic, and the mean copied into place

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if num_samples < 1:
        raise ValueError("no samples")
    if rank < 0 or rank >= world_size:
        raise ValueError(f"there is no process {rank} among {world_size}")
    own = torch.Generator()
    own.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=own)
    rounds = (num_samples + world_size - 1) // world_size
    return [int(order[(rank + turn * world_size) % num_samples]) for turn in range(rounds)]


@torch.no_grad()
def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        total = all_reduce(parameter.grad.clone())
        parameter.grad.copy_(total.div(world_size))


# %% correct: a table of rounds and processes, and all sums before the first division

def shard(num_samples: int, rank: int, world_size: int, epoch: int, seed: int = 0) -> list[int]:
    if not (num_samples >= 1 and 0 <= rank < world_size):
        raise ValueError(f"{num_samples} samples, process {rank} of {world_size}")
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch))
    rounds = -(-num_samples // world_size)
    over_again = order.repeat(-(-rounds * world_size // num_samples))
    return over_again[: rounds * world_size].view(rounds, world_size)[:, rank].tolist()


def average_gradients(model: nn.Module, all_reduce: Callable[[Tensor], Tensor], world_size: int) -> None:
    def given(parameter):
        return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.detach().clone()

    parameters = list(model.parameters())
    totals = [all_reduce(given(parameter)) for parameter in parameters]
    for parameter, total in zip(parameters, totals, strict=True):
        parameter.grad = torch.true_divide(total, world_size)
