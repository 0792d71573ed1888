# %% wrong: the targets stay in their old order
# Every input is trained with some other example's target, so all that can be learned is how often each class comes.
# Print one batch and read it: which target belongs to its first input? See section 0.9.

# --- before
        chosen = order[start : start + batch_size]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
# --- after
        batch = slice(start, start + batch_size)
        chosen = order[batch]
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[batch])

# %% wrong: nothing is shuffled any more
# Inputs and targets fit together again, but the order plays no part any more: examples come as they lie in memory. Take
# both by the same part of the order. See section 0.9.

# --- before
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
# --- after
        loss = train_step_cpu(model, optimizer, inputs[start : start + batch_size], targets[start : start + batch_size])

# %% wrong: the targets put back by the inverse order
# The inverse of the order undoes a shuffling, and the targets were never shuffled. They need the same indices as the
# inputs. See section 0.9.

# --- before
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
# --- after
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[order.argsort()[start : start + batch_size]])

# %% wrong: the last batch left out
# The last examples, too few for a whole batch, are never trained on. Let the last batch be smaller. See section 0.9.

# --- before
    for start in range(0, len(order), batch_size):
# --- after
    for start in range(0, len(order) - batch_size + 1, batch_size):

# %% wrong: the mean of the batches' means
# A small last batch counts as much as a full one, so its examples count more than the others. Weight each batch by its
# size. See section 0.9.

# --- before
        total += loss * len(chosen)
    return total / len(order)
# --- after
        total += loss
    return total / -(-len(order) // batch_size)

# %% wrong: the loss summed
# The sum over all examples came back, and the mean is asked for. See section 0.9.

# --- before
    return total / len(order)
# --- after
    return total

# %% wrong: the last batch's loss
# What came back is the loss of the last batch alone, and the mean over all examples is asked for. See section 0.9.

# --- before
    return total / len(order)
# --- after
    return loss

# %% wrong: no guard
# The loop is right, but the lines before it, which raise ValueError, are gone. Put them back.

# --- before
    if len(inputs) != len(targets) or batch_size < 1:
# --- after
    if False:

# %% wrong: a batch size below zero
# A batch size of 0 is refused, but with a negative one the loop never runs, and a loss of 0 comes back. Refuse whatever
# is below 1.

# --- before
    if len(inputs) != len(targets) or batch_size < 1:
# --- after
    if len(inputs) != len(targets) or batch_size == 0:

# %% correct: both put into the order first
# --- before
        )
# --- after
        )
    inputs, targets = inputs[order], targets[order]
# --- before
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
# --- after
        loss = train_step_cpu(model, optimizer, inputs[start : start + batch_size], targets[start : start + batch_size])

# %% correct: split
def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")

    losses = []
    for chosen in order.split(batch_size):
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        losses += [loss] * len(chosen)
    return sum(losses) / len(losses)

# %% correct: a data loader
def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")

    from torch.utils.data import DataLoader, TensorDataset
    loader = DataLoader(TensorDataset(inputs[order], targets[order]), batch_size=batch_size)
    return sum(train_step_cpu(model, optimizer, x, y) * len(x) for x, y in loader) / len(order)

# %% correct: lists of indices
def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")

    total, seen, left = 0.0, 0, order.tolist()
    while left:
        now, left = left[:batch_size], left[batch_size:]
        loss = train_step_cpu(model, optimizer, inputs[now], targets[now])
        total, seen = total + len(now) * loss, seen + len(now)
    return total / seen

# %% correct: a running mean, the step written out
def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")

    mean = seen = 0
    for chosen in torch.split(order, batch_size):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs.index_select(0, chosen)), targets.index_select(0, chosen))
        loss.backward()
        optimizer.step()
        seen += len(chosen)
        mean += (loss.item() - mean) * len(chosen) / seen
    return mean
