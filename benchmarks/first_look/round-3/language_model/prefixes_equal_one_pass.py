# %% wrong: means where sums are asked for
# F.cross_entropy is called with its default, the mean, in the one pass and for every prefix.
# Breaks "the loss is the SUM": the first gradient is too small by B * T, the second by B. Hint: over how many predictions does each call take its mean?

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    one_pass = list(torch.autograd.grad(loss, parameters))
    loss = 0
    for t in range(1, tokens.shape[1]):
        loss = loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    return one_pass, list(torch.autograd.grad(loss, parameters))


# %% wrong: the last prefix is missing
# The loop over t ends at T - 1, so the prediction of the last token is never made from its prefix.
# Breaks "for t = 1 to T". Hint: tokens has T + 1 columns; what is the last t that range gives?

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    length = tokens.shape[1] - 1
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(parameter) for parameter in parameters]
    for t in range(1, length):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for total, gradient in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += gradient
    return one_pass, prefixes


# %% wrong: the model's own grad fields are used
# The gradients are right, but they are made by zero_grad and backward in the model's own .grad fields.
# Breaks "The model's own .grad fields are left alone": what stood there is gone. Hint: torch.autograd.grad gives gradients without putting them anywhere.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    prefixes = [parameter.grad.clone() for parameter in model.parameters()]
    return one_pass, prefixes


# %% wrong: one pass over all T + 1 tokens
# The one pass reads the last token too and throws the last row of logits away.
# Breaks "one call on the T input tokens"; the same for a causal model, another gradient for one that reads in both directions. Hint: which tokens go in?

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens)[:, :-1]
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(parameter) for parameter in parameters]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for total, gradient in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += gradient
    return one_pass, prefixes


# %% correct: the last rows put together, one loss for both

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]

    def gradient(logits: Tensor) -> list[Tensor]:
        chosen = logits.gather(2, targets.unsqueeze(2)).squeeze(2)
        loss = (logits.logsumexp(dim=2) - chosen).sum()
        trained = [p for p in model.parameters() if p.requires_grad]
        found = dict(zip(trained, torch.autograd.grad(loss, trained, allow_unused=True), strict=True))
        return [torch.zeros_like(p) if found.get(p) is None else found[p] for p in model.parameters()]

    at_once = gradient(model(inputs))
    last_rows = [model(inputs[:, : t + 1]).select(1, t) for t in range(inputs.shape[1])]
    return at_once, gradient(torch.stack(last_rows, dim=1))


# %% correct: backward, with the grad fields put back

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    kept = [parameter.grad for parameter in parameters]

    def take() -> list[Tensor]:
        taken = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        for parameter in parameters:
            parameter.grad = None
        return taken

    try:
        for parameter in parameters:
            parameter.grad = None
        log_p = F.log_softmax(model(tokens[:, :-1]), dim=-1)
        F.nll_loss(log_p.transpose(1, 2), tokens[:, 1:], reduction="sum").backward()
        one_pass = take()
        for t in range(1, tokens.shape[1]):
            log_p = F.log_softmax(model(tokens[:, :t])[:, -1], dim=-1)
            F.nll_loss(log_p, tokens[:, t], reduction="sum").backward()
        return one_pass, take()
    finally:
        for parameter, gradient in zip(parameters, kept, strict=True):
            parameter.grad = gradient
