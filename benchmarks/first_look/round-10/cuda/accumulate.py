# %% wrong: goes through the pieces twice, once to count
# "may come from a generator": the first pass (without gradients, to count the predictions) uses a generator up, the second one sees
# nothing, and all .grad stay None. With a list or a tuple all is right.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        predictions = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    model.zero_grad()
    mean = torch.zeros((), device=next(model.parameters()).device, dtype=next(model.parameters()).dtype)
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count:
            (loss_sum / predictions).backward()
            mean += loss_sum.detach() / predictions
        del loss_sum
    return mean


# %% wrong: every parameter is expected to have a gradient
# "None or zeros where the loss does not reach it": where a parameter of the model takes no part in the loss, or is frozen, its .grad
# is None and the division at the end raises a TypeError.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count > 0:
            loss_sum.backward()
            total = total + loss_sum.detach()
            predictions += count
        del loss_sum
    for parameter in model.parameters():
        parameter.grad /= predictions
    return total / predictions


# %% wrong: stops at the first piece without predictions
# "a piece may have none": break in place of continue, so what comes after such a piece is not read. Shows where an empty piece is not
# the last one (sizes 8, 0, 2); with the empty piece at the beginning it divides by zero.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    total, predictions = 0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:  # nothing to learn from
            break
        loss_sum.backward()
        total = total + loss_sum.detach()
        predictions += count
        del loss_sum
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= predictions
    return total / predictions


# %% wrong: the mean loss is made anew from a Python number
# "float64 stays float64" and "what it makes, it makes where its arguments are": torch.tensor of a float is float32 and on the CPU,
# so a model in float64 gets a loss in float32 with half of its digits (and a model on a GPU one on the CPU). Gradients are right.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0.0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count:
            loss_sum.backward()
            total += loss_sum.item()
            predictions += count
        del loss_sum
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= predictions
    return torch.tensor(total / predictions)


# %% correct: a running mean, right after every piece


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count:
            old = seen / (seen + count)  # the share of what was there before
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(old)
            seen += count
            (loss_sum / seen).backward()
            here = loss_sum.detach() / seen
            mean = here if mean is None else mean * old + here
        loss_sum = None
    return mean


# %% correct: gradients asked for piece by piece and summed in a list of its own


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    wanted = [parameter for parameter in model.parameters() if parameter.requires_grad]
    sums = [torch.zeros_like(parameter) for parameter in wanted]
    losses, counts = [], []

    def read(piece: Any) -> None:
        loss_sum, count = loss_sum_of(model, piece)
        if not count:
            return
        for total, gradient in zip(sums, torch.autograd.grad(loss_sum, wanted, allow_unused=True), strict=True):
            if gradient is not None:
                total.add_(gradient)
        losses.append(loss_sum.detach())
        counts.append(count)

    for piece in micro_batches:
        read(piece)
    predictions = sum(counts)
    model.zero_grad(set_to_none=True)
    for parameter, total in zip(wanted, sums, strict=True):
        parameter.grad = total.div_(predictions)
    return torch.stack(losses).sum() / predictions
