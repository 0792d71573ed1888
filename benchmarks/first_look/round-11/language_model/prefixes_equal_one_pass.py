# %% wrong: the gradients are collected in .grad and wiped
# backward() adds to what was in .grad, and zero_grad() throws it away at the end. It shows with a
# model whose .grad fields were filled before: they are None afterwards.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    model.zero_grad()
    loss = F.cross_entropy(
        model(inputs).flatten(0, 1), targets.flatten(), reduction="sum"
    )
    loss.backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        logits = model(tokens[:, :t])[:, -1]
        F.cross_entropy(logits, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes

# %% wrong: every prefix is padded to the full length
# "So that all calls have one shape" a prefix is filled up with zeros, and row t - 1 is read. It
# shows with a model that reads in both directions, or one that uses the last row's place.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(
        model(inputs).transpose(1, 2), targets, reduction="sum"
    )
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        prefix = torch.zeros_like(inputs)
        prefix[:, :t] = tokens[:, :t]
        logits = model(prefix)[:, t - 1]
        loss = F.cross_entropy(logits, tokens[:, t], reduction="sum")
        for total, part in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += part
    return one_pass, prefixes

# %% wrong: the prefixes are averaged over the batch
# In the loop cross_entropy keeps its default, the mean over the B sentences, in the one pass it is
# the sum. It shows for every B above 1: the second gradient is B times too small.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    loss = F.cross_entropy(
        model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    )
    one_pass = torch.autograd.grad(loss, parameters)
    total = 0
    for t in range(1, tokens.shape[1]):
        total = total + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    return list(one_pass), list(torch.autograd.grad(total, parameters))

# %% wrong: the last prediction is missing from the loop
# range(1, T) stops before the last target, tokens[:, T]. It shows for every T; for T = 1 there is
# no loss at all.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(
        model(inputs).flatten(0, 1), targets.flatten(), reduction="sum"
    )
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, inputs.shape[1]):
        logits = model(tokens[:, :t])[:, -1]
        loss = F.cross_entropy(logits, tokens[:, t], reduction="sum")
        parts = torch.autograd.grad(loss, parameters)
        prefixes = [a + b for a, b in zip(prefixes, parts, strict=True)]
    return one_pass, prefixes

# %% correct: cross-entropy's gradient is put in by hand
def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = tuple(model.parameters())

    def pull(logits: Tensor, targets: Tensor) -> tuple[Tensor, ...]:
        """Parameters' gradients of the summed loss, whose own is softmax minus one-hot."""
        with torch.no_grad():
            direction = logits.softmax(dim=-1)
            direction -= F.one_hot(targets, logits.shape[-1])
        return torch.autograd.grad(logits, parameters, grad_outputs=direction)

    one_pass = pull(model(tokens[:, :-1]), tokens[:, 1:])
    prefixes = None
    for t in range(tokens.shape[1] - 1, 0, -1):
        now = pull(model(tokens[:, :t])[:, -1], tokens[:, t])
        prefixes = now if prefixes is None else tuple(map(torch.add, prefixes, now))
    return list(one_pass), list(prefixes)

# %% correct: backward, with the .grad fields put aside meanwhile
def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    aside = [p.grad for p in parameters]
    found = []
    last = tokens.shape[1] - 1
    try:
        for whole in (True, False):
            for p in parameters:
                p.grad = None
            for t in [last] if whole else range(1, last + 1):
                logs = model(tokens[:, :t]).log_softmax(dim=2)
                first = 0 if whole else t - 1
                came = tokens[:, first + 1 : t + 1].unsqueeze(2)
                logs[:, first:].gather(2, came).sum().neg().backward()
            found.append([p.grad for p in parameters])
    finally:
        for p, grad in zip(parameters, aside, strict=True):
            p.grad = grad
    return found[0], found[1]
