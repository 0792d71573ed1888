# %% wrong: divides gradients that are not there
# parameter.grad is None where the loss does not reach the parameter, and None cannot be divided: TypeError for a model with
# an unused or frozen parameter.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:

    model.zero_grad()
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions:
            loss_sum.backward()
            total = total + loss_sum.detach()
            count += predictions
    for parameter in model.parameters():
        parameter.grad /= count
    return total / count


# %% wrong: a loss of zero taken for an empty piece
# A piece with predictions whose losses are all 0 (a hinge loss, say) is skipped, and its predictions are missing from the
# count: mean and gradients come out too large.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:

    for parameter in model.parameters():
        parameter.grad = None
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if loss_sum == 0:
            continue  # nothing to learn from here
        loss_sum.backward()
        total = total + loss_sum.detach()
        count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count


# %% wrong: the mean as a Python float
# Summed with .item(), so a float comes back, where a tensor is asked for (and each piece makes the program wait for the
# GPU): torch.is_tensor(result) is False.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:

    model.zero_grad()
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions > 0:
            loss_sum.backward()
        total += loss_sum.item()
        count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(count)
    return total / count


# %% wrong: a running mean that begins with an empty piece
# Gradients and loss are kept as means over what came so far. Where the first piece has no predictions the new count is
# still 0: ZeroDivisionError. An empty piece later does no harm.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:

    model.zero_grad()
    mean, seen = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        now = seen + predictions
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad *= seen / now
        if loss_sum.requires_grad:
            (loss_sum / now).backward()
        mean = mean * (seen / now) + loss_sum.detach() / now
        seen = now
    return mean


# %% correct: a running mean of the gradients

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:

    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions == 0:
            del loss_sum  # a graph, perhaps
            continue
        seen += predictions
        kept = (seen - predictions) / seen  # what the pieces before are worth now
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(kept)
        share = loss_sum / seen
        if share.requires_grad:
            share.backward()
        mean = share.detach() if mean is None else mean * kept + share.detach()
        del loss_sum, share
    return mean


# %% correct: autograd.grad into sums beside the model

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:

    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    sums: list[Tensor | None] = [None] * len(parameters)
    losses, counts = [], []
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions < 1:
            del loss_sum
            continue
        losses.append(loss_sum.detach().clone())
        counts.append(predictions)
        if loss_sum.requires_grad:
            found = torch.autograd.grad(loss_sum, parameters, allow_unused=True)
            sums = [a if b is None else b if a is None else a + b for a, b in zip(sums, found, strict=True)]
        del loss_sum
    model.zero_grad(set_to_none=True)
    for parameter, summed in zip(parameters, sums, strict=True):
        parameter.grad = None if summed is None else summed / sum(counts)
    return torch.stack(losses).sum() / sum(counts)
