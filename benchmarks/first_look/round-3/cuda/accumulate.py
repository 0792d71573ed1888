# %% wrong: the mean of the pieces' means
# Each piece's mean loss is divided by the number of pieces, so predictions of a small piece weigh more than those of a large one (and an empty piece divides by zero).
# Hint: pieces of 8, 8, 8 and 2: what is the weight of one prediction in each?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    pieces = list(micro_batches)
    mean_loss = 0.0
    for piece in pieces:
        loss_sum, count = loss_sum_of(model, piece)
        loss = loss_sum / count / len(pieces)
        loss.backward()
        mean_loss = mean_loss + loss.detach()
    return mean_loss


# %% wrong: old gradients are not cleared
# What was in .grad before the call stays in the sum; .grad should be the gradient of this batch whatever it was before.
# Hint: call it twice: is the gradient the same?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    total, predictions = 0.0, 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:
            continue
        loss_sum.backward()
        total = total + loss_sum.detach()
        predictions += count
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= predictions
    return total / predictions


# %% wrong: one backward at the end
# The losses are added up and backward is called once, so the graphs of all pieces are in memory at the same time; that is what the pieces were made to avoid.
# Hint: when is the graph of the first piece gone?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    losses, predictions = [], 0
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count > 0:
            losses.append(loss_sum)
            predictions += count
    loss = torch.stack(losses).sum() / predictions
    loss.backward()
    return loss.detach()


# %% wrong: the pieces are gone through twice
# The predictions are counted in a first pass over micro_batches; an iterator (a generator, say) is empty then, and no gradient is made in the second.
# Hint: micro_batches is an Iterable: what does a generator give the second time?

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad()
    with torch.no_grad():
        predictions = sum(loss_sum_of(model, piece)[1] for piece in micro_batches)
    total = next(model.parameters()).new_zeros(())
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if count == 0:
            continue
        loss = loss_sum / predictions
        loss.backward()
        total += loss.detach()
    return total


# %% correct: a running mean after every piece

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    for parameter in model.parameters():
        parameter.grad = None
    seen, mean = 0, None
    for piece in micro_batches:
        loss_sum, count = loss_sum_of(model, piece)
        if not count:
            continue
        # the mean so far is worth seen / (seen + count) of the new one
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(seen / (seen + count))
        share = loss_sum / (seen + count)
        share.backward()
        mean = share.detach() if mean is None else mean * (seen / (seen + count)) + share.detach()
        seen += count
        del loss_sum, share
    return mean


# %% correct: a helper for one piece, division at the end

def accumulate(
    model: nn.Module,
    loss_sum_of: Callable[[nn.Module, Any], tuple[Tensor, int]],
    micro_batches: Iterable[Any],
) -> Tensor:
    model.zero_grad(set_to_none=True)
    losses: list[Tensor] = []
    counts: list[int] = []

    def one(piece: Any) -> None:
        """Backward of one piece; its graph is gone when this returns."""
        loss_sum, count = loss_sum_of(model, piece)
        if count > 0:
            loss_sum.backward()
            losses.append(loss_sum.detach())
            counts.append(count)

    for piece in micro_batches:
        one(piece)
    with torch.no_grad():
        for gradient in (p.grad for p in model.parameters() if p.grad is not None):
            gradient.div_(sum(counts))
        return torch.stack(losses).sum() / sum(counts)
