# %% wrong: the same order in every epoch
# Every epoch had the same order: the samples were shuffled once for the whole training. The epoch belongs into the
# seed; in torch's sampler this is what set_epoch is for. See section 9.13.

# --- before
    with seed + epoch: the same in every process, another one in each epoch. Where world_size
# --- after
    with seed: the same in every process, another one in each epoch. Where world_size
# --- before
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
# --- after
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed)).tolist()

# %% wrong: the seed is left out
# Another seed gave the same order. The generator is seeded with seed + epoch. See section 9.13.

# --- before
    with seed + epoch: the same in every process, another one in each epoch. Where world_size
# --- after
    with epoch: the same in every process, another one in each epoch. Where world_size
# --- before
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
# --- after
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(epoch)).tolist()

# %% wrong: every process with an order of its own
# Each process shuffled for itself, so some samples go to two of them and some to none. The order has to be the same in
# all processes. See section 9.13.

# --- before
    with seed + epoch: the same in every process, another one in each epoch. Where world_size
# --- after
    with seed + epoch + rank: the same in every process, another one in each epoch. Where world_size
# --- before
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
# --- after
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch + rank)).tolist()

# %% wrong: not shuffled
# The samples came in their own order. Shuffle them with a generator seeded with seed + epoch. See section 9.13.

# --- before
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
# --- after
    order = list(range(num_samples))

# %% wrong: all random numbers seeded
# To shuffle, the random numbers of the whole program were begun anew, on which dropout rests. Make a generator for the
# order alone. See section 9.13.

# --- before
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
# --- after
    torch.manual_seed(seed + epoch)
    order = torch.randperm(num_samples).tolist()

# %% wrong: blocks instead of every nth
# Each process took a stretch of the order. It is every world_size-th place, beginning with its rank. See section 9.13.

# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    size = whole // world_size
    return [order[place % num_samples] for place in range(rank * size, (rank + 1) * size)]

# %% wrong: what does not divide is left out
# The samples that were left over went to no process. Continue the order with its own beginning until it divides. See
# section 9.13.

# --- before
    whole = -(-num_samples // world_size) * world_size  # rounded up
# --- after
    whole = num_samples // world_size * world_size

# %% wrong: unequal shares
# Some processes got one sample more than others, and these would wait for them for ever in all_reduce. Continue the
# order with its own beginning until it divides. See section 9.13.

# --- before
    whole = -(-num_samples // world_size) * world_size  # rounded up
# --- after
    whole = num_samples

# %% wrong: continued once only
# With more processes than samples the order has to begin over again several times, and it did so once: some processes
# got nothing. See section 9.13.

# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    order = order + order[: whole - num_samples]
    return order[rank::world_size]

# %% wrong: continued with the last sample
# The order was continued with its last sample again and again. It goes on with its own beginning. See section 9.13.

# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    return [order[min(place, num_samples - 1)] for place in range(rank, whole, world_size)]

# %% wrong: a tensor of numbers
# A tensor came back, whose entries are tensors. A list of Python's own numbers is asked for. See section 9.13.

# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    return torch.tensor(order * (whole // num_samples + 1))[rank:whole:world_size]

# %% wrong: none where the mean is zero
# Where the mean of the gradients is zero the parameter was left without one. Zeros are a mean too, and an optimizer
# with momentum steps with them. See section 9.13.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.grad = all_reduce(gradient) / world_size
        if not parameter.grad.any():
            parameter.grad = None

# %% wrong: the parameter times zero
# The zeros were made of the parameter, and where that is infinite zero times it is NaN. Make new zeros of its shape.
# See section 9.13.

# --- before
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
# --- after
        gradient = parameter.detach() * 0 if parameter.grad is None else parameter.grad

# %% wrong: the sum of the gradients
# The gradients of all processes were added up and not divided, so the step grows with their number. DDP takes the
# mean. See section 9.13.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.grad = all_reduce(gradient)

# %% wrong: parameters without a gradient left out
# A parameter that had no gradient here was passed over, while another process called all_reduce for it: from then on
# the calls belong to different parameters. Give zeros for it. See section 9.13.

# --- before
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
# --- after
        if parameter.grad is None:
            continue
        gradient = parameter.grad

# %% wrong: None divided
# A parameter that took no part in the loss has None for a gradient, and this was handed to all_reduce. Give zeros in
# its place. See section 9.13.

# --- before
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
# --- after
        gradient = parameter.grad

# %% wrong: what all_reduce returns is not used
# The sum that all_reduce returned was let go, and this process's own gradient was divided. (torch.distributed has one
# that writes in place; this one returns.) See section 9.13.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        all_reduce(gradient)
        parameter.grad = gradient / world_size

# %% wrong: the weights averaged
# It was the weights that went round, not their gradients. Average the gradients; the weights then stay alike by
# themselves. See section 9.13.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.data = all_reduce(parameter.data) / world_size

# %% wrong: divided twice
# The gradients were divided before all_reduce and after it. Once is the mean. See section 9.13.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.grad = all_reduce(gradient / world_size) / world_size

# %% wrong: another order of parameters
# all_reduce was called in another order than that of model.parameters(), which the other processes keep to: the n-th
# calls belong together. See section 9.13.

# --- before
    for parameter in model.parameters():
# --- after
    for parameter in reversed(list(model.parameters())):

# %% wrong: no ValueError
# A rank that there is not, or no samples, was taken without a word or stopped at another error. Look at the numbers
# first and raise ValueError. See section 9.13.

# --- before
    if num_samples < 1 or not 0 <= rank < world_size:
# --- after
    if False:

# %% correct: repeated and cut

def shard(num_samples, rank, world_size, epoch, seed=0):
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")

    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator)
    each = (num_samples + world_size - 1) // world_size
    order = order.repeat(world_size + 1)[: each * world_size]
    return order.view(each, world_size)[:, rank].tolist()


def average_gradients(model, all_reduce, world_size):
    for parameter in model.parameters():
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient) / world_size

# %% correct: torch's own sampler

def shard(num_samples, rank, world_size, epoch, seed=0):
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")

    from torch.utils.data import DistributedSampler
    sampler = DistributedSampler(range(num_samples), num_replicas=world_size, rank=rank, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)


def average_gradients(model, all_reduce, world_size):
    for parameter in model.parameters():
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient) / world_size

# %% correct: a cycle

def shard(num_samples, rank, world_size, epoch, seed=0):
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")

    from itertools import cycle, islice
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = world_size * -(-num_samples // world_size)
    return list(islice(cycle(order), rank, total, world_size))


def average_gradients(model, all_reduce, world_size):
    for parameter in model.parameters():
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient) / world_size

# %% correct: divided before it goes round

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.grad = all_reduce(gradient / world_size)

# %% correct: written into the gradient

# --- before
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        parameter.grad.copy_(all_reduce(parameter.grad)).div_(world_size)
