# %% wrong: through the model's own grad fields
# backward() collects in .grad, which is emptied before and after: gradients that the caller had there are lost. (A
# parameter that plays no part gives None instead of a tensor.) Shows where .grad was not None before.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    T = tokens.shape[1] - 1
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, T + 1):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: every row of every prefix
# Of each prefix all rows of logits are scored, not the last one only: the first prediction counts T times, the second
# T - 1 times. Shows for T of 2 and more.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def gradient(loss):
        return list(torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True))

    def loss_of(window):
        logits = model(window[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), window[:, 1:], reduction="sum")

    one_pass = gradient(loss_of(tokens))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        prefixes = [total + g for total, g in zip(prefixes, gradient(loss_of(tokens[:, : t + 1])), strict=True)]
    return one_pass, prefixes


# %% wrong: the last prefix is left out
# range(1, T) ends at T - 1: the prediction of token T is in the one pass and in none of the prefixes. Shows for every
# causal model: the two are not equal.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    T = inputs.shape[1]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True))
    loss = model(inputs).sum() * 0.0
    for t in range(1, T):
        loss = loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
    prefixes = list(torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True))
    return one_pass, prefixes


# %% wrong: means where sums are asked for
# cross_entropy's own mean: over B * T in one pass, over B in each prefix. The first is too small by B * T and the
# second by B, and they differ by the factor T for a causal model.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
    one_pass = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    prefix_loss = 0.0
    for t in range(1, tokens.shape[1]):
        prefix_loss = prefix_loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    prefixes = torch.autograd.grad(prefix_loss, parameters, allow_unused=True, materialize_grads=True)
    return list(one_pass), list(prefixes)


# %% correct: put the grads aside, collect, put them back

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    kept = [p.grad for p in parameters]

    def nats(logits, came):  # (N, V), (N,)
        return (logits.logsumexp(dim=1) - logits[torch.arange(len(came)), came]).sum()

    def collected(losses):
        for p in parameters:
            p.grad = None
        for loss in losses:
            loss.backward()
        return [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]

    try:
        one_pass = collected([nats(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())])
        prefixes = collected(nats(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.shape[1]))
    finally:
        for p, grad in zip(parameters, kept, strict=True):
            p.grad = grad
    return one_pass, prefixes


# %% correct: autograd.grad of each prefix, from the longest to the shortest

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    learning = [i for i, p in enumerate(parameters) if p.requires_grad]

    def add_gradient(totals, log_p, targets):
        """log_p (N, V), targets (N,): takes the gradient of their log-likelihood from the totals."""
        likelihood = log_p.gather(1, targets.unsqueeze(1)).sum()
        found = torch.autograd.grad(likelihood, [parameters[i] for i in learning], allow_unused=True)
        for i, gradient in zip(learning, found, strict=True):
            if gradient is not None:
                totals[i] = totals[i] - gradient

    one_pass, prefixes = ([torch.zeros_like(p, requires_grad=False) for p in parameters] for _ in range(2))
    add_gradient(one_pass, model(tokens[:, :-1]).log_softmax(dim=-1).flatten(0, 1), tokens[:, 1:].flatten())
    remaining = tokens
    while remaining.shape[1] > 1:
        remaining, target = remaining[:, :-1], remaining[:, -1]
        add_gradient(prefixes, model(remaining)[:, -1].log_softmax(dim=-1), target)
    return one_pass, prefixes
