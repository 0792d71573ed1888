# %% wrong: every parameter has a gradient
# At the end parameter.grad is divided without asking whether there is one. It raises where the loss does
# not reach a parameter, such as a frozen one or an unused layer.

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
        loss_sum.backward()
        total = total + loss_sum.detach()
        count += predictions
    for parameter in model.parameters():
        parameter.grad.div_(count)
    return total / count


# %% wrong: the pieces are read twice
# A first loop counts the predictions and a second one does the work. Right for a list or a tuple; a
# generator is empty by then, and no parameter gets a gradient.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        count = sum(loss_sum_of(model, micro_batch)[1] for micro_batch in micro_batches)
    loss = next(model.parameters()).new_zeros(())
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions:
            (loss_sum / count).backward()
            loss = loss + loss_sum.detach() / count
    return loss


# %% wrong: the loss that is returned is the mean of means
# The gradients are right, but the loss is the mean over the pieces of each piece's mean. It shows with
# pieces of different sizes, such as 8, 8, 8 and 2.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    means, count = [], 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if not predictions:
            continue
        loss_sum.backward()
        count += predictions
        means.append(loss_sum.detach() / predictions)
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return torch.stack(means).mean()


# %% wrong: the sum of the losses keeps the graphs
# total + loss_sum is added up without detach, so the graph of every piece hangs on it until the end. It
# shows with three pieces: the nodes of the first two graphs are alive while the third is computed.

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
        loss_sum.backward()
        total = total + loss_sum
        count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return (total / count).detach()


# %% correct: a running mean, whose weights are moved at every piece

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = None, 0
    for micro_batch in micro_batches:
        loss_sum, new = loss_sum_of(model, micro_batch)
        if new > 0:
            seen += new
            share = new / seen
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(1 - share)
            of_piece = loss_sum / new
            (of_piece * share).backward()
            of_piece = of_piece.detach()
            mean = of_piece if mean is None else mean * (1 - share) + of_piece * share
        del loss_sum
    return mean


# %% correct: gradients by autograd.grad, summed in a dictionary

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    sums: dict[str, Tensor] = {}
    losses, counts = [], []
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions:
            gradients = torch.autograd.grad(loss_sum, list(trained.values()), allow_unused=True)
            for name, gradient in zip(trained, gradients, strict=True):
                if gradient is not None:
                    sums[name] = sums[name] + gradient if name in sums else gradient.clone()
            losses.append(loss_sum.detach())
            counts.append(int(predictions))
        loss_sum = None
    for name, parameter in model.named_parameters():
        parameter.grad = sums[name] / sum(counts) if name in sums else None
    return torch.stack(losses).sum() / sum(counts)
