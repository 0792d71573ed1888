# %% wrong: the mean of means
# Each piece's mean loss counts alike, whatever its number of predictions.
# Shows for pieces of 8, 8, 8 and 2 predictions: gradients and loss are off; with equal pieces it is right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, pieces = 0.0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:
            continue
        loss = loss_sum / count
        loss.backward()
        total = total + loss.detach()
        pieces += 1
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= pieces
    return total / pieces

# %% wrong: old gradients are added to
# .grad is not set back before the first piece, so what an earlier step left is in the sum.
# Shows where a parameter's .grad is not None or zero before the call.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions:
            loss_sum.backward()
            total = total + loss_sum.detach()
            count += predictions
        del loss_sum
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(count)
    return total / count

# %% wrong: one backward pass for all
# The losses are added up and backward is called once, so the graphs of all pieces are in memory together.
# Shows for two pieces or more in the memory (tensors kept for backward); gradients and loss are right.

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
            total = total + loss_sum
            count += predictions
    loss = total / count
    loss.backward()
    return loss.detach()

# %% wrong: once around for the count
# The predictions are counted in a first round and the gradients made in a second, for which a generator has nothing left.
# Shows where micro_batches is a generator: no gradients, and a loss of 0; a list is right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    total = torch.zeros((), device=next(model.parameters()).device)
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions:
            loss = loss_sum / count
            loss.backward()
            total = total + loss.detach()
    return total

# %% correct: a mean that moves

# Before each piece the gradients so far are made smaller, so that .grad is the mean of what has been seen at all times.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for piece in micro_batches:
        loss_sum, new = loss_sum_of(model, piece)
        if new == 0:
            del loss_sum
            continue
        kept = seen / (seen + new)
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(kept)
        seen += new
        loss_sum.backward(torch.full_like(loss_sum, 1 / seen))
        part = loss_sum.detach() / seen
        mean = part if mean is None else mean * kept + part
        del loss_sum
    return mean

# %% correct: sums beside the model

# torch.autograd.grad gives each piece's gradients, which are summed in a list; .grad is written once, at the end.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    weights = [p for p in model.parameters() if p.requires_grad]
    sums: list[Tensor | None] = [None] * len(weights)

    def one(piece) -> tuple[Tensor | None, int]:
        loss_sum, predictions = loss_sum_of(model, piece)
        if not predictions:
            return None, 0
        for i, grad in enumerate(torch.autograd.grad(loss_sum, weights, allow_unused=True)):
            if grad is not None:
                sums[i] = grad.clone() if sums[i] is None else sums[i] + grad
        return loss_sum.detach(), predictions

    losses, counts = [], 0
    for piece in micro_batches:
        loss, predictions = one(piece)
        if predictions:
            losses.append(loss)
            counts += predictions
    model.zero_grad(set_to_none=True)
    for weight, total in zip(weights, sums, strict=True):
        weight.grad = None if total is None else total / counts
    return torch.stack(losses).sum() / counts
