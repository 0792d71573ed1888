# %% wrong: the total keeps every graph
# The summed losses are added up with their graphs, so all of them stay in memory, and the mean that is returned has a graph.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, n = loss_sum_of(model, micro_batch)
        loss_sum.backward()
        total = total + loss_sum
        count += n
    for p in model.parameters():
        if p.grad is not None:
            p.grad /= count
    return total / count


# %% wrong: divided by the predictions so far
# Each piece is divided by the number of predictions up to and with it, which is not that of the whole batch; only the last piece is right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    predictions = 0
    losses = []
    for piece in micro_batches:
        loss_sum, number = loss_sum_of(model, piece)
        predictions += number
        loss = loss_sum / max(predictions, 1)
        loss.backward()
        losses.append(loss_sum.detach())
    return torch.stack(losses).sum() / predictions


# %% wrong: goes through the pieces twice
# The predictions are counted in a first pass; a generator is empty after it, so that no gradient comes, and each forward is done twice.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        total = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    mean = torch.tensor(0.0)
    for piece in micro_batches:
        loss_sum, _ = loss_sum_of(model, piece)
        loss = loss_sum / total
        loss.backward()
        mean = mean + loss.detach()
    return mean


# %% wrong: a parameter without a gradient
# The final division takes it that every parameter has a gradient; a frozen or unused one has None, and a TypeError comes.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    loss_total = 0
    num_predictions = 0
    for mb in micro_batches:
        loss_sum, num = loss_sum_of(model, mb)
        if num > 0:
            loss_sum.backward()
            loss_total += loss_sum.detach()
            num_predictions += num
    for parameter in model.parameters():
        parameter.grad = parameter.grad / num_predictions
    return loss_total / num_predictions


# %% wrong: an empty piece that comes first
# Keeps the gradient of the mean so far, and divides by the number of predictions so far: 0 / 0 where the first piece has none.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    seen = 0
    mean = torch.zeros(())
    for micro_batch in micro_batches:
        loss_sum, number = loss_sum_of(model, micro_batch)
        now = torch.tensor(float(seen + number))
        for p in model.parameters():
            if p.grad is not None:
                p.grad.mul_(seen / now)
        (loss_sum / now).backward()
        mean = mean * (seen / now) + loss_sum.detach() / now
        seen += number
    return mean


# %% correct: gradients gathered beside the model

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    sums: list[Tensor | None] = [None] * len(learning)
    losses, counts = [], []
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if not count:
            continue
        losses.append(loss.detach())
        counts.append(count)
        gradients = torch.autograd.grad(loss, learning, allow_unused=True)
        del loss
        for place, gradient in enumerate(gradients):
            if gradient is not None:
                sums[place] = gradient if sums[place] is None else sums[place] + gradient
        del gradients
    predictions = sum(counts)
    for parameter in model.parameters():
        parameter.grad = None
    for parameter, total in zip(learning, sums, strict=True):
        if total is not None:
            parameter.grad = total / predictions
    return sum(losses) / predictions


# %% correct: the mean so far, kept up to date

def _scale_gradients(model, factor):
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.mul_(factor)


def _take_in(model, loss_sum_of, piece, mean, seen):
    loss_sum, number = loss_sum_of(model, piece)
    if number == 0:
        return mean, seen
    share = number / (seen + number)
    _scale_gradients(model, 1 - share)
    (loss_sum / (seen + number)).backward()
    mean_of_piece = loss_sum.detach() / number
    return mean_of_piece if mean is None else mean + share * (mean_of_piece - mean), seen + number


def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for piece in micro_batches:
        mean, seen = _take_in(model, loss_sum_of, piece, mean, seen)
    return mean
