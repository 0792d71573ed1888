# %% wrong: the mean of the pieces' means
# Each piece's mean counts the same (empty pieces are left out): wrong wherever the pieces have different numbers of
# predictions, in the gradients and in the loss.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    pieces, total = 0, 0.0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count == 0:
            continue
        loss = loss_sum / count
        loss.backward()
        total = total + loss.detach()
        pieces += 1
        del loss_sum, loss
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= pieces
    return total / pieces

# %% wrong: gradients from before stay in
# .grad is not cleared at the start: what a parameter had before is added, and divided by the number of predictions.
# Shows wherever some .grad is not None (and not zero) when the function is called, so in a second call too.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    total, predictions = 0, 0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count > 0:
            loss_sum.backward()
            total = total + loss_sum.detach()
            predictions += count
        del loss_sum
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.div_(predictions)
    return total / predictions

# %% wrong: one backward at the end
# The sums of losses are added up with their graphs, and backward is called once: the graphs of all pieces are in
# memory together, for two pieces or more. Gradients and loss are right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0, 0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count:
            total = total + loss_sum
            predictions += count
    loss = total / predictions
    loss.backward()
    return loss.detach()

# %% wrong: the pieces are gone through twice
# Counts the predictions first and then goes through the pieces again. An iterator (a generator, a DataLoader's
# iterator) is empty the second time: no gradients, and a loss of zero.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        predictions = sum(loss_sum_of(model, micro_batch)[1] for micro_batch in micro_batches)
    model.zero_grad()
    mean = torch.zeros((), device=next(model.parameters()).device, dtype=next(model.parameters()).dtype)
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        if count:
            loss = loss_sum / predictions
            loss.backward()
            mean += loss.detach()
            del loss
        del loss_sum
    return mean

# %% correct: a mean that runs along, gradients and all

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)

    def one_more(piece: Any, mean: Tensor | None, before: int) -> tuple[Tensor | None, int]:
        """The mean over all predictions up to this piece; its graph ends with the call."""
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:
            return mean, before
        now = before + count
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(before / now)
        (loss_sum / now).backward()
        here = loss_sum.detach() / now
        return here if mean is None else mean * (before / now) + here, now

    mean, seen = None, 0
    for piece in micro_batches:
        mean, seen = one_more(piece, mean, seen)
    return mean

# %% correct: sums kept outside of the model, by autograd.grad

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    learned = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    for parameter in model.parameters():
        parameter.grad = None
    sums: dict[str, Tensor] = {}
    losses, counts = [], []
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count:
            parts = torch.autograd.grad(loss_sum, list(learned.values()), allow_unused=True)
            for name, part in zip(learned, parts, strict=True):
                if part is not None:
                    sums[name] = sums[name] + part if name in sums else part
            losses.append(loss_sum.detach())
            counts.append(count)
            del parts, part
        del loss_sum
    for name, total in sums.items():
        learned[name].grad = total / sum(counts)
    return torch.stack(losses).sum() / sum(counts)
