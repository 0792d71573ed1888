# %% wrong: the last prefix forgotten
# The loop over the prefixes ends one too early, so the prediction of the last token is missing from the second
# gradient and from that one alone: the two differ for every model, the causal ones too.
# Hint: with three tokens (T = 2), which values does your t take?

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    length = tokens.shape[1] - 1
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, length):
        last = model(tokens[:, :t])[:, -1]
        loss = F.cross_entropy(last, tokens[:, t], reduction="sum")
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters)):
            total += g
    return one_pass, prefixes


# %% wrong: means in place of the sum
# Both losses are means over all predictions. The two gradients agree with each other for a causal model, but each is
# smaller by the factor B * T than the one that was asked for.
# Hint: the docstring writes one word in capitals.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])
    one_pass = list(torch.autograd.grad(loss, parameters))
    length = tokens.shape[1] - 1
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, length + 1):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t]) / length
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters)):
            total += g
    return one_pass, prefixes


# %% wrong: prefixes padded to the full length
# Each prefix is filled up with zeros to T tokens and row t - 1 is read. For a causal model that is the same; a model
# that reads in both directions sees the padding too, and gets another gradient than for the prefix alone.
# Hint: what does the model get to read in your call for t = 1? How many tokens should it be?

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    logits = model(inputs)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, inputs.shape[1] + 1):
        padded = torch.zeros_like(inputs)
        padded[:, :t] = inputs[:, :t]
        row = model(padded)[:, t - 1]
        loss = F.cross_entropy(row, targets[:, t - 1], reduction="sum")
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters)):
            total += g
    return one_pass, prefixes


# %% wrong: the model's own gradients wiped
# Works with backward and zero_grad on the model itself. The two lists are right, but whatever stood in the .grad
# fields before is gone, and they were to be left alone.
# Hint: set a parameter's .grad before the call and look at it afterwards; torch.autograd.grad touches none.

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


# %% wrong: the rows of one call in place of calls of their own
# Calls the model once and takes the losses of its rows one by one. This shows that a sum can be taken in pieces; the
# prefixes are never read alone, so even a model that looks to the right seems to pass.
# Hint: what do you expect for the GRU that reads in both directions, and what do you get?

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters, retain_graph=True))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(logits[:, t - 1], tokens[:, t], reduction="sum")
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters, retain_graph=True)):
            total += g
    return one_pass, prefixes


# %% correct: a list of losses for each way, by autograd.grad

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad]

    def nats(rows, wanted):
        return -rows.log_softmax(dim=-1).gather(-1, wanted.unsqueeze(-1)).sum()

    def added_up(losses):
        sums = {id(p): torch.zeros_like(p) for p in parameters}
        for loss in losses:
            for p, g in zip(trained, torch.autograd.grad(loss, trained, allow_unused=True), strict=True):
                if g is not None:
                    sums[id(p)] = sums[id(p)] + g
        return [sums[id(p)] for p in parameters]

    together = (nats(model(tokens[:, :-1]), tokens[:, 1:]) for _ in range(1))
    apart = (nats(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.shape[1]))
    return added_up(together), added_up(apart)


# %% correct: backward, with the gradients put aside and put back

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    put_aside = [p.grad for p in parameters]

    def collected():
        found = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        for p in parameters:
            p.grad = None
        return found

    try:
        for p in parameters:
            p.grad = None
        logits = model(tokens[:, :-1])
        F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum").backward()
        one_pass = collected()
        for t in range(tokens.shape[1] - 1, 0, -1):
            prefix, wanted = tokens[:, :t], tokens[:, t]
            F.cross_entropy(model(prefix)[:, t - 1], wanted, reduction="sum").backward()
        return one_pass, collected()
    finally:
        for p, grad in zip(parameters, put_aside, strict=True):
            p.grad = grad
