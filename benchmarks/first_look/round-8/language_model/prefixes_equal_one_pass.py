# %% wrong: means in place of sums
# cross_entropy gives a mean if not told otherwise: one pass is divided by B * T and the prefixes by B, so the two
# are unequal by a factor T. Shows for every B * T above 1.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    one_pass = torch.autograd.grad(loss, parameters)
    prefix_loss = 0.0
    for t in range(1, tokens.shape[1]):
        prefix_loss = prefix_loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    prefixes = torch.autograd.grad(prefix_loss, parameters)
    return list(one_pass), list(prefixes)


# %% wrong: the .grad fields used and cleared
# The gradients are right, but they go through .grad: what stood there before the call is lost, for zero_grad sets
# every .grad to None. Shows for a model whose .grad fields are filled.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def collect() -> list[Tensor]:
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        return gradients

    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = collect()
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    return one_pass, collect()


# %% wrong: the last prefix missing
# range(1, T) ends before the prediction of token T, the one with the longest prefix: T - 1 predictions in place of
# T. Shows for every input; with T = 1 there is no loss to differentiate.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    T = inputs.shape[1]
    params = list(model.parameters())
    log_p = model(inputs).log_softmax(dim=2).gather(2, targets.unsqueeze(2))
    one_pass = torch.autograd.grad(-log_p.sum(), params, allow_unused=True, materialize_grads=True)
    total = 0
    for t in range(1, T):
        last = model(tokens[:, :t])[:, -1]
        total = total - last.log_softmax(dim=1).gather(1, tokens[:, t : t + 1]).sum()
    prefixes = torch.autograd.grad(total, params, allow_unused=True, materialize_grads=True)
    return list(one_pass), list(prefixes)


# %% wrong: nothing for an unused parameter
# With allow_unused a parameter that the logits do not depend on gets None, where a tensor for every parameter is
# promised. Shows for a model that has such a parameter.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = tuple(model.parameters())

    def gradient(loss: Tensor) -> list[Tensor]:
        return list(torch.autograd.grad(loss, parameters, allow_unused=True))

    one = F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="sum")
    many = sum(
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for t in range(1, tokens.shape[1])
    )
    return gradient(one), gradient(many)


# %% correct: a copy does the work

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    import copy

    def gathered(calls: list[tuple[Tensor, Tensor]]) -> list[Tensor]:
        """Sum of the gradients over calls (input, targets of its last rows), in a copy's own .grad."""
        twin = copy.deepcopy(model)
        for p in twin.parameters():
            p.grad = torch.zeros_like(p)
        for inputs, targets in calls:
            rows = twin(inputs)[:, inputs.shape[1] - targets.shape[1] :]
            (rows.logsumexp(dim=2) - rows.gather(2, targets.unsqueeze(2)).squeeze(2)).sum().backward()
        return [p.grad for p in twin.parameters()]

    with torch.enable_grad():
        whole = gathered([(tokens[:, :-1], tokens[:, 1:])])
        pieces = gathered([(tokens[:, :t], tokens[:, t : t + 1]) for t in range(1, tokens.shape[1])])
    return whole, pieces


# %% correct: the gradient passed in at the logits

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    asked = [i for i, p in enumerate(parameters) if p.requires_grad]
    length = tokens.shape[1] - 1

    def add(total: list[Tensor], inputs: Tensor, targets: Tensor) -> None:
        logits = model(inputs)
        here = logits.detach()[:, -targets.shape[1] :]
        at_logits = torch.zeros_like(logits)  # d loss / d logits: softmax, less one at what came
        at_logits[:, -targets.shape[1] :] = here.softmax(dim=2) - F.one_hot(targets, logits.shape[2]).to(here.dtype)
        found = torch.autograd.grad(logits, [parameters[i] for i in asked], at_logits, allow_unused=True)
        for i, g in zip(asked, found, strict=True):
            if g is not None:
                total[i] = total[i] + g

    one_pass = [torch.zeros_like(p, requires_grad=False) for p in parameters]
    prefixes = [torch.zeros_like(p, requires_grad=False) for p in parameters]
    add(one_pass, tokens[:, :length], tokens[:, 1:])
    for t in range(length, 0, -1):
        add(prefixes, tokens[:, :t], tokens[:, t : t + 1])
    return one_pass, prefixes
