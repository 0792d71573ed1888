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

# %% wrong: the sum of the pieces' means
# The pieces' mean losses were added up, so the gradient is as many times too large as there are pieces, and small
# pieces count for more. Add up sums, and divide by the number of all predictions at the end. See section 9.7.

def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    total = 0.0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        loss = loss_sum / max(predictions, 1)
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

# %% wrong: divided by the number of pieces
# The gradients of the summed loss were divided by how many pieces there were. Divide by how many predictions there
# were in all of them. See section 9.7.

# --- before
    total, count = torch.zeros(()), 0
# --- after
    pieces, total, count = 0,  torch.zeros(()), 0
# --- before
        count = count + predictions
# --- after
        count = count + predictions
        pieces += 1
# --- before
            parameter.grad /= count
# --- after
            parameter.grad /= pieces

# %% wrong: divided by the rows
# The number of rows was counted, padding and all. loss_sum_of says how many predictions its sum is over. See section
# 9.7.

# --- before
        count = count + predictions
# --- after
        count = count + len(micro_batch[0])

# %% wrong: divided by the parts of a piece
# What was counted is how many things a piece is made of, which is the same for all pieces. loss_sum_of says how many
# predictions its sum is over. See section 9.7.

# --- before
        count = count + predictions
# --- after
        count = count + len(micro_batch)

# %% wrong: the loss comes back as a number
# A number came back. To read it off a GPU the program waits, once for each piece; a tensor without a graph is asked
# for. Detach each sum and add up the tensors. See section 9.7.

# --- before
    total, count = torch.zeros(()), 0
# --- after
    total, count = 0.0, 0
# --- before
        total = total.to(loss_sum.device) + loss_sum.detach()
# --- after
        total = total + loss_sum.item()

# %% wrong: the loss comes back with a graph
# The sums were added up with their graphs, which hang on the loss that came back. Detach each sum. See section 9.7.

# --- before
        total = total.to(loss_sum.device) + loss_sum.detach()
# --- after
        total = total.to(loss_sum.device) + loss_sum

# %% wrong: the graphs are retained
# Each piece's graph was retained after its backward pass and kept with its loss, so all of them were in memory in the
# end. Let a graph go when it has been used. See section 9.7.

# --- before
    total, count = torch.zeros(()), 0
# --- after
    kept, total, count = [],  torch.zeros(()), 0
# --- before
        loss_sum.backward()  # adds to .grad, and lets the graph go
# --- after
        loss_sum.backward(retain_graph=True)  # adds to .grad, and lets the graph go
# --- before
        count = count + predictions
# --- after
        count = count + predictions
        kept.append(loss_sum)

# %% wrong: divided by the last piece's count
# The number of predictions at the end is that of the last piece alone. Add the counts up. See section 9.7.

# --- before
        count = count + predictions
# --- after
        count = predictions

# %% wrong: divided in every round
# The gradients were divided after each piece, so what came first was divided several times. Divide once, when all
# pieces are through. See section 9.7.

# --- before
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
# --- after
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad /= max(count, 1)

# %% wrong: old gradients not cleared
# Gradients from before were there and were added to these. Clear them once, before the first piece. See section 9.7.

# --- before
    model.zero_grad()
# --- after

# %% wrong: cleared for every piece
# The gradients were cleared before each piece, so only the last one's are left. Clear them once, before the first. See
# section 9.7.

# --- before
    model.zero_grad()
# --- after
# --- before
    for micro_batch in micro_batches:
# --- after
    for micro_batch in micro_batches:
        model.zero_grad()

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

# %% wrong: all forward passes first
# All forward passes came first, so every piece's graph was in memory at the same time. Go forward and backward with
# one piece, then take the next. See section 9.7.

# --- before
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
# --- after
    for loss_sum, predictions in [loss_sum_of(model, micro_batch) for micro_batch in micro_batches]:

# %% wrong: the last piece's loss comes back
# The loss that came back is the last piece's. The mean over all predictions of all pieces is asked for. See section
# 9.7.

# --- before
    return total / count
# --- after
    return loss_sum.detach() / predictions

# %% wrong: the summed loss comes back
# The loss that came back is a sum. Divide it by the number of all predictions. See section 9.7.

# --- before
    return total / count
# --- after
    return total

# %% wrong: every parameter has a gradient
# A parameter that took no part in the loss has no gradient at all, and None cannot be divided. Leave such parameters
# alone. See section 9.7.

# --- before
        if parameter.grad is not None:
            parameter.grad /= count
# --- after
        parameter.grad /= count

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
# The weights were changed here. Only the gradients are asked for: the step is the optimizer's. See section 9.7.

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

# %% correct: cleared to zeros, divided all at once

# --- before
    model.zero_grad()
# --- after
    for p in model.parameters():
        p.grad = torch.zeros_like(p)
# --- before
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
# --- after
    torch._foreach_div_([p.grad for p in model.parameters()], float(count))

# %% correct: sums as numbers

# --- before
    total, count = torch.zeros(()), 0
# --- after
    total, count = 0.0, 0
# --- before
        total = total.to(loss_sum.device) + loss_sum.detach()
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
