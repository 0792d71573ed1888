# %% wrong: mean of the means
# Every piece weighs the same: wrong where pieces differ in predictions.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    total, count = 0.0, 0
    for piece in micro_batches:
        loss, number = loss_sum_of(model, piece)
        if number:
            loss = loss / number
            loss.backward()
            total = total + loss.detach()
            count += 1
        del loss
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count

# %% wrong: old gradients are kept
# Gradients from before are added (and divided).

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    total, count = 0.0, 0
    for piece in micro_batches:
        loss, number = loss_sum_of(model, piece)
        if number:
            loss.backward()
            total = total + loss.detach()
            count += number
        del loss
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count

# %% wrong: gradients are not divided
# Gradients are those of the sum, only the loss is the mean.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    total, count = 0.0, 0
    for piece in micro_batches:
        loss, number = loss_sum_of(model, piece)
        if number:
            loss.backward()
            total = total + loss.detach()
            count += number
        del loss
    return total / count

# %% wrong: the graph in the sum
# The mean loss has its graph still, and all pieces' graphs stay linked.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    total, count = 0.0, 0
    for piece in micro_batches:
        loss, number = loss_sum_of(model, piece)
        if number:
            loss.backward()
            total = total + loss
            count += number
        del loss
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count

# %% correct: gradients kept beside, by autograd.grad

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    parameters = [p for p in model.parameters() if p.requires_grad]
    sums, losses, count = [None] * len(parameters), [], 0
    for piece in micro_batches:
        loss, number = loss_sum_of(model, piece)
        if number == 0:
            del loss
            continue
        for i, g in enumerate(torch.autograd.grad(loss, parameters, allow_unused=True)):
            if g is not None:
                sums[i] = g if sums[i] is None else sums[i] + g
        losses.append(loss.detach())
        count += number
        del loss
    for p, g in zip(parameters, sums, strict=True):
        p.grad = None if g is None else g / count
    return torch.stack(losses).sum() / count

# %% correct: a running mean, gradients rescaled piece by piece

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    mean, count = 0.0, 0
    for piece in micro_batches:
        loss, number = loss_sum_of(model, piece)
        if number > 0:
            count += number
            with torch.no_grad():
                for parameter in model.parameters():
                    if parameter.grad is not None:
                        parameter.grad.mul_((count - number) / count)
            (loss / count).backward()
            mean = mean * ((count - number) / count) + loss.detach() / count
        del loss
    return mean

