# %% wrong: a parameter without a gradient
# Divides every parameter.grad at the end; where the loss does not reach a parameter (a frozen one, an unused
# head) .grad is None and /= raises a TypeError.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        loss_sum.backward()
        total = total + loss_sum.detach()
        predictions += count
    for parameter in model.parameters():
        parameter.grad /= predictions
    return total / predictions


# %% wrong: goes through the pieces twice
# First counts all predictions, then runs backward on each sum divided by that number. From a generator nothing
# comes the second time: all gradients stay None and the loss is 0. With a list or a tuple it is right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        predictions = sum(loss_sum_of(model, micro_batch)[1] for micro_batch in micro_batches)
    mean = torch.zeros((), device=next(model.parameters()).device)
    for micro_batch in micro_batches:
        loss_sum, _ = loss_sum_of(model, micro_batch)
        share = loss_sum / predictions
        share.backward()
        mean = mean + share.detach()
    return mean


# %% wrong: divides by the number so far
# Each sum is divided by the predictions seen up to then, and what earlier pieces left is not divided again: with
# two equal pieces the first weighs 1, the second a half. Right for a single piece.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count == 0:
            continue
        predictions += count
        (loss_sum / predictions).backward()
        total = total + loss_sum.detach()
    return total / predictions


# %% wrong: one backward pass at the end
# Adds up the sums with their graphs and goes back once: the gradients are right, but the graphs of all pieces are
# in memory together, as for the whole batch. Shows in what is alive when the second piece's loss is made.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    pieces = [loss_sum_of(model, micro_batch) for micro_batch in micro_batches]
    mean = sum(loss_sum for loss_sum, _ in pieces) / sum(count for _, count in pieces)
    mean.backward()
    return mean.detach()


# %% correct: sums of gradients beside the model, put in place at the end

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
    sums: dict[int, Tensor] = {}
    losses, predictions = [], 0

    def piece(micro_batch: Any) -> int:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count == 0:
            return 0
        losses.append(loss_sum.detach())
        for place, one in enumerate(torch.autograd.grad(loss_sum, weights, allow_unused=True)):
            if one is not None:
                sums[place] = sums[place] + one if place in sums else one
        return count

    for micro_batch in micro_batches:
        predictions += piece(micro_batch)
    for parameter in model.parameters():
        parameter.grad = None
    for place, summed in sums.items():
        weights[place].grad = summed / predictions
    return torch.stack(losses).sum() / predictions


# %% correct: .grad is the mean of what has been read, at all times

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count:
            kept = seen / (seen + count)  # what the old mean still weighs
            seen += count
            with torch.no_grad():
                for parameter in model.parameters():
                    if parameter.grad is not None:
                        parameter.grad.mul_(kept)
            share = loss_sum / seen
            share.backward()
            mean = share.detach() if mean is None else mean * kept + share.detach()
            del share
        del loss_sum
    return mean
