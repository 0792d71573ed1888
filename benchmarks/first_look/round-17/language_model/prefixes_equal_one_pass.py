# %% wrong: prefixes filled up with zeros to the full length
# Each prefix gets zeros behind it and row t - 1 is read, so it is not a call on the tokens 0 to t - 1. Equal for a causal
# model; shows for one that reads in both directions, which sees the zeros.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    loss = 0.0
    for t in range(1, tokens.shape[1]):
        prefix = torch.zeros_like(inputs)
        prefix[:, :t] = tokens[:, :t]
        loss = loss + F.cross_entropy(model(prefix)[:, t - 1], tokens[:, t], reduction="sum")
    return one_pass, list(torch.autograd.grad(loss, parameters))


# %% wrong: the sum in one pass, but the batch's mean for each prefix
# reduction="sum" is forgotten in the loop, so the second gradient is B times too small. Shows for every batch of more than
# one window; for one it is right.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += g
    return one_pass, prefixes


# %% wrong: backward, and zero_grad before and after
# The gradients come out right, but the model's .grad fields are wiped. Shows for a model whose .grad held something before
# the call, from a backward of the caller: it is None afterwards.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: both lists hold the same tensors
# The gradient of the first pass is kept without clone() and then set to zero in place, so both lists are the same .grad
# tensors, with the prefixes' gradient. Shows for a model that reads in both directions, where the two must differ.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    before = [p.grad for p in parameters]
    for p in parameters:
        p.grad = None
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad for p in parameters]
    model.zero_grad(set_to_none=False)
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad for p in parameters]
    for p, g in zip(parameters, before, strict=True):
        p.grad = g
    return one_pass, prefixes


# %% correct: backward, with the .grad fields set aside and put back

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    aside = [p.grad for p in parameters]

    def gradient_of(calls) -> list[Tensor]:
        for p in parameters:
            p.grad = None
        for logits, wanted in calls:
            (-logits.log_softmax(dim=-1).gather(-1, wanted.unsqueeze(-1)).sum()).backward()
        return [p.grad for p in parameters]

    try:
        one_pass = gradient_of([(model(tokens[:, :-1]), tokens[:, 1:])])
        each = ((model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.shape[1]))
        return one_pass, gradient_of(each)
    finally:
        for p, g in zip(parameters, aside, strict=True):
            p.grad = g


# %% correct: the gradient with respect to the logits by hand, softmax minus one-hot

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def backward_from(logits: Tensor, following: Tensor) -> list[Tensor]:
        with torch.no_grad():
            error = logits.softmax(dim=-1)
            error = error - F.one_hot(following, logits.shape[-1]).to(error.dtype)
        return list(torch.autograd.grad(logits, parameters, grad_outputs=error))

    one_pass = backward_from(model(tokens[:, :-1]), tokens[:, 1:])
    prefixes = None
    for t in range(tokens.shape[1] - 1, 0, -1):
        row = model(tokens[:, :t])[:, -1]
        new = backward_from(row, tokens[:, t])
        prefixes = new if prefixes is None else [a + b for a, b in zip(prefixes, new, strict=True)]
    return one_pass, prefixes
