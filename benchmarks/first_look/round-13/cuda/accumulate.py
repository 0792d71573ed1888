# %% wrong: one backward pass for all pieces
# The losses are added up and backward runs once at the end: the right gradients, but the graphs of all pieces are in
# memory together. Shows for two pieces or more, in what autograd keeps.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions == 0:
            continue
        total = total + loss_sum
        count += predictions
    mean = total / count
    mean.backward()
    return mean.detach()


# %% wrong: the pieces are gone through twice
# First all predictions are counted, then each piece's loss is divided by that number. A generator is used up after the
# first round: no gradients come, and 0 is returned as a plain number. (A list works.)


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    model.zero_grad()
    mean = 0.0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions == 0:
            continue
        loss = loss_sum / count
        loss.backward()
        mean = mean + loss.detach()
    return mean


# %% wrong: every parameter is expected to have a gradient
# At the end each .grad is divided by the number of predictions, and a parameter that the loss does not reach has None
# there: TypeError. Shows with a model that has an unused layer or a frozen parameter.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions > 0:
            loss_sum.backward()
            total = total + loss_sum.detach()
            count += predictions
    for parameter in model.parameters():
        parameter.grad /= count
    return total / count


# %% wrong: old gradients count as a piece
# Nothing is cleared at the beginning, so what stood in .grad is added to and divided with the rest. "Whatever it was
# before": shows in the second of two calls.


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    losses, count = [], 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions == 0:
            continue
        loss_sum.backward()
        losses.append(loss_sum.detach())
        count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(count)
    return torch.stack(losses).sum() / count


# %% correct: the gradients are kept apart and put in place at the end


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    trained = [p for p in model.parameters() if p.requires_grad]
    sums: dict[int, Tensor] = {}
    losses, predictions = [], 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count:
            found = torch.autograd.grad(loss, trained, allow_unused=True)
            for place, gradient in enumerate(found):
                if gradient is not None:
                    sums[place] = sums[place] + gradient if place in sums else gradient
            losses.append(loss.detach())
            predictions += count
        del loss
    for p in model.parameters():
        p.grad = None
    for place, gradient in sums.items():
        trained[place].grad = gradient / predictions
    return torch.stack(losses).sum() / predictions


# %% correct: a running mean, rescaled with every piece


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    pieces = iter(micro_batches)
    while True:
        try:
            piece = next(pieces)
        except StopIteration:
            return mean
        loss, count = loss_sum_of(model, piece)
        if count > 0:
            before, seen = seen, seen + count
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(before / seen)
            loss = loss / seen
            loss.backward()
            mean = loss.detach() if mean is None else mean * (before / seen) + loss.detach()
        loss = None
