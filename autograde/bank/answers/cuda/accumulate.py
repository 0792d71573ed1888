# %% wrong: the mean of the pieces' means
# Each piece had the same say, however few predictions it had, so those of a small piece count for more than others.
# Divide by the number of all predictions, which is known at the end. See section 9.7.

def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    micro_batches = list(micro_batches)
    total = 0.0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        loss = loss_sum / max(predictions, 1) / len(micro_batches)
        loss.backward()
        total = total + loss.detach()
    return total

# %% wrong: gradients not divided
# The gradients are those of the sum of all losses. Divide them by the number of all predictions. See section 9.7.

# --- before
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
# --- after

# %% wrong: divided by the rows
# The number of rows was counted, padding and all. loss_sum_of says how many predictions its sum is over. See section
# 9.7.

# --- before
        count = count + predictions
# --- after
        count = count + len(micro_batch[0])

# %% wrong: the loss comes back as a number
# A number came back. To read it off a GPU the program waits, once for each piece. Return a tensor without a graph:
# detach each sum and add up the tensors. See section 9.7.

# --- before
        total = total + loss_sum.detach()
# --- after
        total = total + loss_sum.item()

# %% wrong: the loss comes back with a graph
# The sums were added up with their graphs, which hang on the loss that came back. Detach each sum. See section 9.7.

# --- before
        total = total + loss_sum.detach()
# --- after
        total = total + loss_sum

# %% wrong: divided by the last piece's count
# The number of predictions at the end is that of the last piece alone. Add the counts up. See section 9.7.

# --- before
        count = count + predictions
# --- after
        count = predictions

# %% wrong: old gradients not cleared
# Gradients from before were there and were added to these. Clear them once, before the first piece. See section 9.7.

# --- before
    model.zero_grad()
# --- after

# %% wrong: one backward pass for all
# All forward passes came first and the backward pass at the end: until then every piece's graph was in memory, which
# is as much as the large batch needs. Go backward after each piece. See section 9.7.

def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    total, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        total, count = total + loss_sum, count + predictions
    loss = total / count
    loss.backward()
    return loss.detach()

# %% wrong: gone through twice
# The pieces were gone through twice, and a generator has nothing left the second time; the forward passes were made
# twice too. The division can wait until the end. See section 9.7.

def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    count = sum(loss_sum_of(model, micro_batch)[1] for micro_batch in micro_batches)
    total = 0.0
    for micro_batch in micro_batches:
        loss = loss_sum_of(model, micro_batch)[0] / max(count, 1)
        loss.backward()
        total = total + loss.detach()
    return total

# %% wrong: the weights moved
# The weights were changed here. Compute the gradients alone: the step is the optimizer's. See section 9.7.

# --- before
            parameter.grad /= count
# --- after
            parameter.grad /= count
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter -= 0.01 * parameter.grad

# %% correct: a running mean
def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    mean, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions == 0:
            continue
        share = count / (count + predictions)
        count += predictions
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(share)
        (loss_sum / count).backward()
        mean = share * mean + loss_sum.detach() / count
    return mean

# %% correct: gradients by torch.autograd.grad
def accumulate(model, loss_sum_of, micro_batches):
    parameters = list(model.parameters())
    sums, total, count = [torch.zeros_like(p) for p in parameters], torch.tensor(0.0), 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        for of_one, gradient in zip(sums, torch.autograd.grad(loss_sum, parameters, allow_unused=True)):
            if gradient is not None:
                of_one += gradient
        total, count = total + loss_sum.detach(), count + predictions
    for parameter, of_one in zip(parameters, sums):
        parameter.grad = of_one / count
    return total / count

# %% correct: sums as numbers
# --- before
        total = total + loss_sum.detach()
# --- after
        total = total + loss_sum.item()
# --- before
    return total / count
# --- after
    return torch.tensor(total / count)

# %% correct: counted first, without graphs, from a list
def accumulate(model, loss_sum_of, micro_batches):
    pieces = list(micro_batches)
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in pieces)
    model.zero_grad(set_to_none=True)
    loss = 0.0
    for piece in pieces:
        mean = loss_sum_of(model, piece)[0] / count
        mean.backward()
        loss = loss + mean.detach()
    return loss

# %% correct: multiplied by the inverse
# --- before
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
# --- after
    with torch.no_grad():
        for p in model.parameters():
            p.grad = None if p.grad is None else p.grad * (1 / count)
