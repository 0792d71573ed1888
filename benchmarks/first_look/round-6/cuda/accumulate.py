# %% wrong: the predictions are counted in a round of their own
# micro_batches is gone through twice: an iterator is used up after the counting, so that no piece is left to learn from
# (and every loss is computed twice).

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
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:
            continue
        loss = loss_sum / predictions
        loss.backward()
        mean += loss.detach()
    return mean


# %% wrong: divided by the number of predictions so far
# Each piece's sum is divided by what has been counted up to then, and earlier pieces are not put right afterwards: the
# first ones weigh too much.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    seen = 0
    total_loss = 0.0
    for micro_batch in micro_batches:
        loss_sum, n = loss_sum_of(model, micro_batch)
        if n == 0:
            continue
        seen += n
        (loss_sum / seen).backward()
        total_loss = total_loss + loss_sum.detach()
    return total_loss / seen


# %% wrong: the total of the losses keeps its graph
# The sums are added up with their graphs: every piece stays reachable to the end, and the mean that comes back has a
# graph too.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    total, predictions = 0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count > 0:
            loss_sum.backward()
            total = total + loss_sum
            predictions = predictions + count
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= predictions
    return total / predictions


# %% wrong: a mean for each piece, then weighted by its size
# The mean of a piece without predictions is 0 / 0, and times its weight of zero it is still NaN, in all gradients.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    losses, sizes = [], []
    for piece in micro_batches:
        loss_sum, size = loss_sum_of(model, piece)
        mean_loss = loss_sum / size
        (mean_loss * size).backward()
        losses.append(mean_loss.detach() * size)
        sizes.append(size)
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(sum(sizes))
    return torch.stack(losses).sum() / sum(sizes)


# %% wrong: every parameter is taken to have a gradient
# A parameter that is frozen or that the loss does not use has .grad None after zero_grad, and None / number fails.

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    count = 0
    loss = torch.tensor(0.0, device=next(model.parameters()).device)
    for micro_batch in micro_batches:
        piece_loss, piece_count = loss_sum_of(model, micro_batch)
        if piece_loss.requires_grad:
            piece_loss.backward()
        loss += piece_loss.detach()
        count += piece_count
    for parameter in model.parameters():
        parameter.grad = parameter.grad / count
    return loss / count


# %% correct: a running mean that is put right with each piece

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    so_far, mean = 0, None

    def learn(piece: Any) -> tuple[int, Tensor | None]:
        loss_sum, count = loss_sum_of(model, piece)
        if not count:
            return so_far, mean
        now = so_far + count
        if so_far:
            with torch.no_grad():
                for gradient in [p.grad for p in model.parameters() if p.grad is not None]:
                    gradient.mul_(so_far / now)
        share = loss_sum / now
        share.backward()
        share = share.detach()
        return now, share if mean is None else mean * (so_far / now) + share

    for piece in micro_batches:
        so_far, mean = learn(piece)
    return mean


# %% correct: sums in a table beside the model

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    parameters = dict(model.named_parameters())

    def take_gradients() -> dict[str, Tensor]:
        taken = {name: p.grad for name, p in parameters.items() if p.grad is not None}
        for p in parameters.values():
            p.grad = None
        return taken

    def one(piece: Any) -> tuple[Tensor, int]:
        loss_sum, number = loss_sum_of(model, piece)
        if number > 0:
            loss_sum.backward()
        return loss_sum.detach(), number

    take_gradients()  # old ones are thrown away
    table: dict[str, Tensor] = {}
    sums: list[Tensor] = []
    predictions = 0
    for piece in micro_batches:
        loss_sum, number = one(piece)
        if number == 0:
            continue
        sums.append(loss_sum)
        predictions += number
        for name, gradient in take_gradients().items():
            table[name] = table[name] + gradient if name in table else gradient
    for name, gradient in table.items():
        parameters[name].grad = gradient / predictions
    return torch.stack(sums).sum() / predictions
