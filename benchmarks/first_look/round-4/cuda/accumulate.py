# %% wrong: the pieces gone through twice
# Goes through the pieces once to count the predictions and once more for the gradients. A list stands that; a
# generator, which is just as legal, is empty the second time, and there are no gradients at all.
# Hint: hand your function (piece for piece in pieces). What is left for the second loop?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    model.zero_grad()
    total = torch.zeros((), device=next(model.parameters()).device)
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions > 0:
            (loss_sum / count).backward()
            total = total + loss_sum.detach() / count
    return total


# %% wrong: one backward for all pieces
# Adds up the losses of all pieces and calls backward once at the end. The gradient is right, but the graphs of all
# pieces are in memory together, and that was what did not fit.
# Hint: how many graphs are alive when your backward begins?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        total = total + loss_sum
        count += predictions
    loss = total / count
    loss.backward()
    return loss.detach()


# %% wrong: divided by the predictions so far
# Divides each piece's sum by the number of predictions counted up to then, which is not yet the number of all. The
# first pieces weigh too much; with a single piece it is right.
# Hint: when is the number of all predictions known, and what can still be divided then?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions == 0:
            continue
        count += predictions
        (loss_sum / count).backward()
        total = total + loss_sum.detach()
    return total / count


# %% wrong: stopped at the first empty piece
# Breaks out of the loop at a piece without predictions, where it should go on with the next. All pieces behind the
# empty one are left out, of the gradient and of the count.
# Hint: put an empty piece between two others. What is the difference between break and continue?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, count = 0.0, 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions == 0:
            break
        loss_sum.backward()
        total = total + loss_sum.detach()
        count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return total / count


# %% wrong: the mean of the pieces' means returned
# The gradients are right, but what is returned is the mean of the pieces' mean losses, in which a prediction of a small
# piece counts more. With pieces of one size nobody sees it.
# Hint: compare what you return with the loss of the whole batch, for pieces of 8, 8, 8 and 2.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    means, count = [], 0
    for piece in micro_batches:
        loss_sum, predictions = loss_sum_of(model, piece)
        if predictions == 0:
            continue
        loss_sum.backward()
        means.append(loss_sum.detach() / predictions)
        count += predictions
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(count)
    return torch.stack(means).mean()


# %% correct: a running mean of the gradients

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    seen, mean = 0, None
    for piece in micro_batches:
        loss_sum, new = loss_sum_of(model, piece)
        if new == 0:
            del loss_sum
            continue
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(seen / (seen + new))
        share = loss_sum / (seen + new)
        share.backward()
        mean = share.detach() if mean is None else mean * (seen / (seen + new)) + share.detach()
        seen += new
        del loss_sum, share  # before the next graph is made
    return mean


# %% correct: gradients asked for by name and divided once

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    sums = [None] * len(trained)
    losses, counts = [], []

    def one_piece(piece):
        loss, predictions = loss_sum_of(model, piece)
        if not predictions:
            return
        for place, found in enumerate(torch.autograd.grad(loss, trained, allow_unused=True)):
            if found is not None:
                sums[place] = found if sums[place] is None else sums[place] + found
        losses.append(loss.detach())
        counts.append(predictions)

    for piece in micro_batches:
        one_piece(piece)  # what it made is gone when it returns
    model.zero_grad(set_to_none=True)
    for parameter, gradient in zip(trained, sums, strict=True):
        parameter.grad = None if gradient is None else gradient / sum(counts)
    return torch.stack(losses).sum() / sum(counts)
