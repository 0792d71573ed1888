# %% wrong: the pieces are gone through twice
# First the predictions are counted, then comes backward with the number of all. A generator is empty by
# then: no gradients and a loss of 0. Lists are right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    model.zero_grad()
    total = torch.zeros((), device=next(model.parameters()).device)
    for piece in micro_batches:
        loss_sum, _ = loss_sum_of(model, piece)
        loss = loss_sum / count
        if loss.requires_grad:
            loss.backward()
        total = total + loss.detach()
    return total

# %% wrong: every parameter is taken to have a gradient
# p.grad is divided for all parameters. One that the loss does not reach has None there, and the
# division raises TypeError or AttributeError.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for p in model.parameters():
        p.grad = None
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions > 0:
            loss_sum.backward()
            total = total + loss_sum.detach()
            count += predictions
    for p in model.parameters():
        p.grad /= count
    return total / count

# %% wrong: a piece's mean first
# Each piece's mean loss is weighted with its number again. A piece without predictions is 0 / 0: from
# then on the loss and all gradients are NaN.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        mean = loss_sum / predictions
        (mean * predictions).backward()
        total = total + mean.detach() * predictions
        count += predictions
    for p in model.parameters():
        if p.grad is not None:
            p.grad /= count
    return total / count

# %% wrong: one backward pass at the end
# The sums are added up with their graphs, and backward runs once. Gradients and loss are right, but the
# graphs of all pieces are in memory together, which is what the pieces were to avoid.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        total = total + loss_sum
        count += predictions
    loss = total / count
    loss.backward()
    return loss.detach()

# %% correct: a running mean of gradients

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    mean, seen = None, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count > 0:
            kept = seen / (seen + count)  # what the mean so far weighs in the new one
            seen += count
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(kept)
            loss_sum.backward(torch.full_like(loss_sum, 1 / seen))
            share = loss_sum.detach() / seen
            mean = share if mean is None else mean * kept + share
        del loss_sum  # and with it the graph
    return mean

# %% correct: gradients asked for, summed in a dictionary and put in place

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    learned = {name: p for name, p in model.named_parameters() if p.requires_grad}
    sums: dict[str, Tensor] = {}
    losses, predictions = [], 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        predictions += count
        losses.append(loss_sum.detach())
        if loss_sum.requires_grad:
            found = torch.autograd.grad(loss_sum, list(learned.values()), allow_unused=True)
            for name, gradient in zip(learned, found):
                if gradient is not None:
                    sums[name] = sums[name] + gradient if name in sums else gradient
        del loss_sum
    for name, parameter in model.named_parameters():
        parameter.grad = sums[name] / predictions if name in sums else None
    return sum(losses) / predictions
