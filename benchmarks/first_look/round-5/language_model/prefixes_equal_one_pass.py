# %% wrong: the last prefix is forgotten
# range(1, T) ends before T, so that the prediction of the last token is missing from the second gradient.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    T = tokens.shape[1] - 1
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    loss = 0.0
    for t in range(1, T):
        loss = loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
    prefixes = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    return list(one_pass), list(prefixes)


# %% wrong: grad fields are used and then emptied
# The gradients are right, but whatever stood in the .grad fields of the model before is lost.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def collect() -> list[Tensor]:
        return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]

    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum").backward()
    one_pass = collect()
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        logits = model(tokens[:, :t])
        F.cross_entropy(logits[:, -1], tokens[:, t], reduction="sum").backward()
    prefixes = collect()
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: nothing for a parameter that is not used
# With allow_unused the list holds None at such a parameter, where a tensor (of zeros) is promised.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters, allow_unused=True))
    total = torch.zeros(())
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        total = total + F.cross_entropy(last, tokens[:, t], reduction="sum")
    prefixes = list(torch.autograd.grad(total, parameters, allow_unused=True))
    return one_pass, prefixes


# %% wrong: every row of every prefix
# Each prefix adds the losses of all its rows and not of the last one alone, so that early predictions count many times.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def loss_of(window: Tensor) -> Tensor:
        logits = model(window[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten(), reduction="sum")

    def gradient(loss: Tensor) -> list[Tensor]:
        return list(torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True))

    one_pass = gradient(loss_of(tokens))
    prefixes = gradient(sum(loss_of(tokens[:, : t + 1]) for t in range(1, tokens.shape[1])))
    return one_pass, prefixes


# %% wrong: a mean over the batch in the prefixes
# The loss of a prefix is the mean over the B windows and not their sum; the same for a batch of one.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    log_p = model(tokens[:, :-1]).log_softmax(dim=-1)
    loss = -log_p.gather(2, tokens[:, 1:].unsqueeze(2)).sum()
    one_pass = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
        part = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
        prefixes = [a + b for a, b in zip(prefixes, part, strict=True)]
    return list(one_pass), prefixes


# %% correct: slopes of the logits by hand

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def slope_at(logits: Tensor, following: Tensor) -> Tensor:
        """The derivative of the sum of -ln softmax(logits)[following] by the logits."""
        slope = logits.detach().softmax(dim=-1)
        return slope - F.one_hot(following, logits.shape[-1]).to(slope.dtype)

    def carried_back(outputs: list[Tensor], slopes: list[Tensor]) -> list[Tensor]:
        gradients = {id(p): torch.zeros_like(p) for p in parameters}
        trained = [p for p in parameters if p.requires_grad]
        found = torch.autograd.grad(outputs, trained, grad_outputs=slopes, allow_unused=True)
        gradients.update((id(p), g) for p, g in zip(trained, found, strict=True) if g is not None)
        return [gradients[id(p)] for p in parameters]

    whole = model(tokens[:, :-1])
    one_pass = carried_back([whole], [slope_at(whole, tokens[:, 1:])])
    last_rows = [model(tokens[:, :t])[:, -1] for t in range(1, tokens.shape[1])]
    slopes = [slope_at(row, tokens[:, t]) for t, row in enumerate(last_rows, start=1)]
    return one_pass, carried_back(last_rows, slopes)


# %% correct: prefixes by recursion

def gradient_of(loss: Tensor, parameters: list[Tensor]) -> list[Tensor]:
    wanted = [p for p in parameters if p.requires_grad]
    found = iter(torch.autograd.grad(loss, wanted, allow_unused=True))
    result = []
    for p in parameters:
        slope = next(found) if p.requires_grad else None
        result.append(torch.zeros_like(p) if slope is None else slope)
    return result


def gradient_of_prefixes(model, tokens: Tensor, parameters: list[Tensor]) -> list[Tensor]:
    if tokens.shape[1] < 2:
        return [torch.zeros_like(p) for p in parameters]
    earlier = gradient_of_prefixes(model, tokens[:, :-1], parameters)
    last_row = model(tokens[:, :-1])[:, -1].log_softmax(dim=1)
    loss = -last_row[torch.arange(len(tokens), device=tokens.device), tokens[:, -1]].sum()
    return [a + b for a, b in zip(earlier, gradient_of(loss, parameters), strict=True)]


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.nll_loss(logits.log_softmax(dim=2).transpose(1, 2), tokens[:, 1:], reduction="sum")
    return gradient_of(loss, parameters), gradient_of_prefixes(model, tokens, parameters)
