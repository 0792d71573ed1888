# %% wrong: one backward at the end
# The sums are added up with their graphs, and backward is called once: all pieces' graphs are in memory together.
# Shows with two pieces: when the second is asked for, the first one's graph is still there.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        total = total + loss_sum
        count += predictions
    loss = total / count
    loss.backward()
    return loss.detach()


# %% wrong: counts first, in a pass of its own
# The pieces are gone through twice, once to count and once for the gradients. Shows where micro_batches is a
# generator: the second time it is empty, there are no gradients, and the loss is zero.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        count = sum(loss_sum_of(model, micro_batch)[1] for micro_batch in micro_batches)
    loss = torch.zeros((), device=next(model.parameters()).device)
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions == 0:
            continue
        (loss_sum / count).backward()
        loss = loss + loss_sum.detach() / count
    return loss


# %% wrong: every parameter is taken to have a gradient
# At the end all gradients are divided, also those that are None. Shows for a model with a frozen parameter, or one
# that the loss does not reach: a TypeError.

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


# %% wrong: a running mean that begins with a division
# Gradients and loss are kept as the mean so far, and each piece shifts them. Right, unless the first piece has no
# predictions: then 0 is divided by 0.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    mean, seen = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        keep = seen / (seen + predictions)
        seen += predictions
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad *= keep
        if loss_sum.requires_grad:
            (loss_sum / seen).backward()
        mean = mean * keep + loss_sum.detach() / seen
    return mean


# %% correct: a running mean of gradients and of the loss

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    seen, mean = 0, None
    for piece in micro_batches:
        loss_sum, here = loss_sum_of(model, piece)
        if not here:
            continue
        seen += here
        old_share = 1 - here / seen
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(old_share)
        loss_sum.div(seen).backward()
        now = loss_sum.detach() / seen
        mean = now if mean is None else mean * old_share + now
        del loss_sum
    return mean


# %% correct: gradients in a dictionary, by autograd.grad

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    learned = {name: p for name, p in model.named_parameters() if p.requires_grad}
    sums: dict[str, Tensor] = {}
    losses, counts = [], []
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count > 0:
            of_piece = torch.autograd.grad(loss_sum, list(learned.values()), allow_unused=True)
            for name, gradient in zip(learned, of_piece, strict=True):
                if gradient is not None:
                    sums[name] = sums[name] + gradient if name in sums else gradient
            losses.append(loss_sum.detach())
            counts.append(count)
        del loss_sum
    number = sum(counts)
    for p in model.parameters():
        p.grad = None
    for name, gradient in sums.items():
        learned[name].grad = gradient / number
    return torch.stack(losses).sum() / number
