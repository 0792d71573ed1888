# %% wrong: a mean of means
# Each piece's loss is divided by its own count and by the number of pieces: a small piece weighs as much as a large one, and a piece without predictions divides by zero. With equal pieces it is right. A good message: "pieces of 8 and 2 predictions: the gradient is not that of the mean over all 10".

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    micro_batches = list(micro_batches)
    model.zero_grad()
    total = 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        loss = loss / count / len(micro_batches)
        loss.backward()
        total += loss.detach()
    return total

# %% wrong: one backward for all
# The sums are added up with their graphs and backward is called once at the end: the numbers are right, but all pieces' graphs are in memory together. A good message: "while the second piece runs, the first one's graph is still there: one backward for each piece".

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0, 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        total = total + loss
        predictions += count
    mean = total / predictions
    mean.backward()
    return mean.detach()

# %% wrong: what was there before is counted
# .grad is not cleared, so old gradients are added and divided along; and the loss comes back undivided, with a graph. A good message: "a .grad from before the call has changed the result"; "the mean loss is promised".

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    total, predictions = 0.0, 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count:
            loss.backward()
        total = total + loss
        predictions += count
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= predictions
    return total

# %% wrong: counted first, in a round of its own
# A first round counts, a second one trains: a generator is empty by then, and the model reads everything twice. A good message: "micro_batches may be an iterator: with a generator all gradients are None and the loss is 0".

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        predictions = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    model.zero_grad()
    mean = torch.zeros(())
    for piece in micro_batches:
        loss = loss_sum_of(model, piece)[0] / predictions
        loss.backward()
        mean = mean + loss.detach()
    return mean

# %% correct: sums first, one division

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    sums, predictions = [], 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if count == 0:
            continue
        loss.backward()
        sums.append(loss.detach().clone())
        predictions += count
        del loss
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(predictions)
    return torch.stack(sums).sum() / predictions

# %% correct: a running mean

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for piece in micro_batches:
        loss, count = loss_sum_of(model, piece)
        if not count:
            continue
        old = seen / (seen + count)
        seen += count
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad *= old
        share = loss / seen
        share.backward()
        share = share.detach()
        mean = share if mean is None else mean * old + share
        del loss
    return mean
