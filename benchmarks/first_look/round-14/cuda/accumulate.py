# %% wrong: the pieces are gone through twice
# Once to count, once for the gradients. A generator is empty the second time: no gradient, and a
# loss of zero. Right for a list.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total = 0
    with torch.no_grad():
        for piece in micro_batches:
            total += loss_sum_of(model, piece)[1]
    mean = torch.zeros((), device=next(model.parameters()).device)
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count:
            (loss / total).backward()
            mean = mean + loss.detach() / total
    return mean


# %% wrong: every parameter has a gradient, it is assumed
# The division at the end takes p.grad of all parameters. One that the loss does not reach has None
# there: TypeError.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for p in model.parameters():
        p.grad = None
    total, predictions = 0.0, 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count > 0:
            loss.backward()
            total = total + loss.detach()
            predictions += count
    for p in model.parameters():
        p.grad /= predictions
    return total / predictions


# %% wrong: divided by the predictions so far
# The number of all is not known yet, so each piece's sum is divided by the number up to there: the
# first piece counts too much. Right with one piece only.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, seen = 0.0, 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count == 0:
            continue
        seen += count
        (loss / seen).backward()
        total = total + loss.detach()
    return total / seen


# %% wrong: a mean of each piece, weighted afterwards
# Each piece's gradient is that of its mean, times its number at the end. A piece without a
# prediction makes 0 / 0, and its nan stays in every gradient.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    parameters = list(model.parameters())
    sums: list = [None] * len(parameters)
    weighted, predictions = 0.0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        mean = loss_sum / count
        model.zero_grad()
        mean.backward()
        for i, p in enumerate(parameters):
            if p.grad is not None:
                sums[i] = p.grad * count if sums[i] is None else sums[i] + p.grad * count
        weighted = weighted + mean.detach() * count
        predictions += count
    for p, grad in zip(parameters, sums):
        p.grad = None if grad is None else grad / predictions
    return weighted / predictions


# %% correct: autograd.grad for each piece, added up in a list

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for p in model.parameters():
        p.grad = None
    trained = [p for p in model.parameters() if p.requires_grad]
    sums: list[Tensor | None] = [None] * len(trained)
    losses, predictions = [], 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count == 0:
            del loss
            continue
        parts = torch.autograd.grad(loss, trained, allow_unused=True)
        sums = [b if a is None else a if b is None else a + b for a, b in zip(sums, parts)]
        losses.append(loss.detach())
        predictions += count
        del loss, parts
    for p, total in zip(trained, sums):
        p.grad = None if total is None else total / predictions
    return torch.stack(losses).sum() / predictions


# %% correct: a running mean, what is there made smaller before each piece

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    seen, mean = 0, None
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if not count:
            loss = None
            continue
        shrink, seen = seen / (seen + count), seen + count
        with torch.no_grad():
            for p in model.parameters():
                if p.grad is not None:
                    p.grad.mul_(shrink)
        (loss / seen).backward()
        share = loss.detach() / seen
        mean = share if mean is None else mean * shrink + share
        loss = None  # its graph goes before the next is made
    return mean
