# %% wrong: counts in a first pass over the pieces
# A generator is empty after the first pass: no backward at all, and no gradients. (And each piece goes through the model twice.)

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    mean = torch.zeros((), device=next(model.parameters()).device)
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions == 0:
            continue
        loss = loss_sum / count
        loss.backward()
        mean = mean + loss.detach()
    return mean


# %% wrong: the losses are added up with their graphs
# The sum of the losses is not detached: what is returned has a graph (requires_grad), and every piece's graph hangs on to it.

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
            total = total + loss_sum
            count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count


# %% wrong: right gradients, but the loss is the mean of the pieces' means
# With pieces of different sizes the loss that is returned is not the mean over all predictions.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    losses = []
    count = 0
    for micro_batch in micro_batches:
        loss_sum, n = loss_sum_of(model, micro_batch)
        if n == 0:
            continue
        loss_sum.backward()
        losses.append(loss_sum.detach() / n)
        count += n
    with torch.no_grad():
        for p in model.parameters():
            if p.grad is not None:
                p.grad.div_(count)
    return torch.stack(losses).mean()


# %% wrong: one backward for all pieces, when they have all been through
# The gradient is right, but until the end the graphs of all pieces are in memory, which is what pieces were to avoid.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total = torch.zeros((), device=next(model.parameters()).device)
    count = 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions > 0:
            total = total + loss_sum
            count += predictions
    loss = total / count
    loss.backward()
    return loss.detach()


# %% correct: at every moment .grad is the mean so far

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    seen, mean = 0, None
    for piece in micro_batches:
        summed, new = loss_sum_of(model, piece)
        if new:
            both = seen + new
            with torch.no_grad():
                for parameter in model.parameters():
                    if parameter.grad is not None:
                        parameter.grad = parameter.grad * (seen / both)
            part = summed / both
            part.backward()
            mean = part.detach() if mean is None else mean * (seen / both) + part.detach()
            seen = both
            del part
        del summed  # and with it the graph
    return mean.clone()


# %% correct: gradients as return values, in lists of one's own

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    wanted = [p for p in model.parameters() if p.requires_grad]

    def taken(piece: Any) -> tuple[Tensor | None, int, list[Tensor | None]]:
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:
            return None, 0, [None] * len(wanted)
        return loss_sum.detach().clone(), count, list(torch.autograd.grad(loss_sum, wanted, allow_unused=True))

    losses, counts = [], []
    sums: list[Tensor | None] = [None] * len(wanted)
    for loss, count, gradients in map(taken, micro_batches):
        if count:
            losses.append(loss)
            counts.append(count)
        sums = [a if b is None else b if a is None else a + b for a, b in zip(sums, gradients, strict=True)]
    everything = sum(counts)
    for p in model.parameters():
        p.grad = None
    for p, summed in zip(wanted, sums, strict=True):
        if summed is not None:
            p.grad = summed / everything
    return torch.stack(losses).sum() / everything
