# %% wrong: the same order in every epoch
# Every epoch had the same order: the samples were shuffled once for the whole training. Add the epoch to the seed; in
# torch's sampler this is what set_epoch is for. See section 10.7.

# --- before
        num_samples, generator=torch.Generator().manual_seed(seed + epoch)
# --- after
        num_samples, generator=torch.Generator().manual_seed(seed)

# %% wrong: every process with an order of its own
# Each process shuffled for itself, so some samples go to two of them and some to none. The order has to be the same in
# all processes. See section 10.7.

# --- before
        num_samples, generator=torch.Generator().manual_seed(seed + epoch)
# --- after
        num_samples, generator=torch.Generator().manual_seed(seed + epoch + rank)

# %% wrong: not shuffled
# The samples came in their own order. Shuffle them with a generator seeded with seed + epoch. See section 10.7.

# --- before
    order = torch.randperm(
        num_samples, generator=torch.Generator().manual_seed(seed + epoch)
    ).tolist()
# --- after
    order = list(range(num_samples))

# %% wrong: blocks instead of every nth
# Each process took a stretch of the order. Take every world_size-th place, beginning with the rank. See section 10.7.

# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    size = whole // world_size
    return [order[place % num_samples] for place in range(rank * size, (rank + 1) * size)]

# %% wrong: what does not divide is left out
# The samples that were left over went to no process. Continue the order with its own beginning until it divides. See
# section 10.7.

# --- before
    whole = -(-num_samples // world_size) * world_size  # rounded up
# --- after
    whole = num_samples // world_size * world_size

# %% wrong: the sum of the gradients
# The gradients of all processes were added up and not divided, so the step grows with their number. DDP takes the
# mean. See section 10.7.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.grad = all_reduce(gradient)

# %% wrong: parameters without a gradient left out
# A parameter that had no gradient here was passed over, while another process called all_reduce for it: from then on
# the calls belong to different parameters. Give zeros for it. See section 10.7.

# --- before
        gradient = (
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        )
# --- after
        if parameter.grad is None:
            continue
        gradient = parameter.grad

# %% wrong: None divided
# A parameter that took no part in the loss has None for a gradient, and None went to all_reduce. Give zeros in its
# place. See section 10.7.

# --- before
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
# --- after
            parameter.grad

# %% wrong: what all_reduce returns is not used
# The sum that all_reduce returned was not used, and this process's own gradient was divided. (torch.distributed has one
# that writes in place; this one returns.) See section 10.7.

# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        all_reduce(gradient)
        parameter.grad = gradient / world_size

# %% wrong: no ValueError
# A rank that does not exist, or no samples, was accepted without a word or ended in another error. Check the numbers
# first and raise ValueError. See section 10.7.

# --- before
    if num_samples < 1 or not 0 <= rank < world_size:
# --- after
    if False:

# %% correct: repeated and cut
# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    order = torch.tensor(order).repeat(world_size + 1)[:whole]
    return order.view(-1, world_size)[:, rank].tolist()

# %% correct: torch's own sampler
# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    from torch.utils.data import DistributedSampler
    sampler = DistributedSampler(range(num_samples), num_replicas=world_size, rank=rank, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)

# %% correct: a cycle
# --- before
    return [order[place % num_samples] for place in range(rank, whole, world_size)]
# --- after
    from itertools import cycle, islice
    return list(islice(cycle(order), rank, whole, world_size))

# %% correct: divided before it goes round
# --- before
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        parameter.grad = all_reduce(gradient / world_size)

# %% correct: written into the gradient
# --- before
        gradient = (
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        )
        parameter.grad = all_reduce(gradient) / world_size
# --- after
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        parameter.grad.copy_(all_reduce(parameter.grad)).div_(world_size)
