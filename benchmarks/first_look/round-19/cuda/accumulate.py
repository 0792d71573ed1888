# %% wrong: one backward pass at the end
# The pieces' losses are added up first, so the graphs of all pieces are in memory together. Shows
# in the memory for two or more pieces; the gradients are right.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0.0, 0
    for micro_batch in micro_batches:
        loss, count = loss_sum_of(model, micro_batch)
        total = total + loss
        predictions += count
    mean = total / predictions
    mean.backward()
    return mean.detach()


# %% wrong: goes through the pieces twice
# The first round counts the predictions, the second divides by them: a generator is used up after
# the first, and all gradients stay None.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        predictions = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    model.zero_grad()
    mean = torch.zeros((), device=next(model.parameters()).device)
    for piece in micro_batches:
        loss, _ = loss_sum_of(model, piece)
        loss = loss / predictions
        loss.backward()
        mean = mean + loss.detach()
    return mean


# %% wrong: every parameter is taken to have a gradient
# p.grad is None for a parameter that is frozen or that the loss does not reach: dividing it is an
# error.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0, 0
    for micro_batch in micro_batches:
        loss, count = loss_sum_of(model, micro_batch)
        if count:
            loss.backward()
            total = total + loss.detach()
            predictions += count
        del loss
    with torch.no_grad():
        for p in model.parameters():
            p.grad /= predictions
    return total / predictions


# %% wrong: the running mean stumbles over an empty piece
# Weighs the mean so far against the piece's mean. A piece without predictions has the mean 0 / 0,
# and from it on loss and gradients are NaN.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    mean, seen = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, count = loss_sum_of(model, micro_batch)
        share = count / max(seen + count, 1)
        for p in model.parameters():
            if p.grad is not None:
                p.grad *= 1 - share
        loss = loss_sum / count
        (share * loss).backward()
        mean = (1 - share) * mean + share * loss.detach()
        seen += count
        del loss_sum, loss
    return mean


# %% correct: a running mean that leaves empty pieces out
# After each piece .grad is the gradient of the mean so far.
def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    mean, seen = torch.zeros(()), 0
    for micro_batch in micro_batches:
        loss, count = loss_sum_of(model, micro_batch)
        if count > 0:
            keep = seen / (seen + count)
            seen += count
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(keep)
            mean = mean.to(loss) * keep + loss.detach() / seen
            if loss.requires_grad:
                loss.backward(torch.full_like(loss, 1 / seen))
        del loss
    return mean


# %% correct: sums of gradients in a list
# torch.autograd.grad for each piece; .grad is written only at the end, from the sums.
def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    learned = [p for p in model.parameters() if p.requires_grad]
    sums = [torch.zeros_like(p) for p in learned]

    def one(piece: Any) -> tuple[Tensor, int]:
        loss, count = loss_sum_of(model, piece)
        if count and loss.requires_grad:
            found = torch.autograd.grad(loss, learned, allow_unused=True)
            for total, gradient in zip(sums, found):
                if gradient is not None:
                    total += gradient
        return loss.detach(), count

    losses, counts = zip(*map(one, micro_batches))
    predictions = sum(counts)
    model.zero_grad(set_to_none=True)
    for parameter, total in zip(learned, sums):
        parameter.grad = total / predictions
    kept = [loss for loss, count in zip(losses, counts) if count]
    return torch.stack(kept).sum() / predictions
