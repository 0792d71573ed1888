# %% wrong: zero_grad before and after
# Collects the gradients in .grad and clears it; whatever stood there before is gone. Shows for a model on which
# backward was called before: its .grad fields are None afterwards.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        logits = model(tokens[:, :t])[:, -1]
        F.cross_entropy(logits, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: both are means
# Both gradients are those of the mean over all B * T predictions. They agree with each other, but the docstring asks
# for the sum: too small by B * T for any batch of more than one prediction.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    B, T = tokens.shape[0], tokens.shape[1] - 1
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, T + 1):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t]) / T
        for total, gradient in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += gradient
    return one_pass, prefixes


# %% wrong: every row of every prefix
# Uses all rows of logits of each prefix, so early predictions are counted T times. Only the last row belongs to the
# prediction of token t. Shows for T of 2 or more.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def gradient(inputs: Tensor, targets: Tensor) -> list[Tensor]:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
        return list(torch.autograd.grad(loss, parameters))

    one_pass = gradient(tokens[:, :-1], tokens[:, 1:])
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        of_prefix = gradient(tokens[:, :t], tokens[:, 1 : t + 1])
        prefixes = [a + b for a, b in zip(prefixes, of_prefix, strict=True)]
    return one_pass, prefixes


# %% wrong: the last prefix is missing
# The loop ends at T - 1, so the prediction of the last token is in one pass but not among the prefixes. Shows for
# every input; with T = 1 there is no prefix at all.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, inputs.shape[1]):
        loss = F.cross_entropy(model(inputs[:, :t])[:, -1], targets[:, t - 1], reduction="sum")
        gradients = torch.autograd.grad(loss, parameters)
        prefixes = [total + g for total, g in zip(prefixes, gradients, strict=True)]
    return one_pass, prefixes


# %% correct: softmax less one-hot, by hand, sent back through the logits
def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def back(rows: Tensor, targets: Tensor) -> list[Tensor]:
        """Gradient of the summed cross-entropy of logits rows (..., V) for targets (...)."""
        with torch.no_grad():
            error = torch.softmax(rows, dim=-1)
            error -= F.one_hot(targets, rows.shape[-1])
        return list(torch.autograd.grad(rows, parameters, grad_outputs=error, materialize_grads=True))

    one_pass = back(model(tokens[:, :-1]), tokens[:, 1:])
    of_each = [back(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.shape[1])]
    return one_pass, [torch.stack(gradients).sum(dim=0) for gradients in zip(*of_each, strict=True)]


# %% correct: one graph of all prefixes, gathered by backward, and .grad put back
def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    steps = tokens.shape[1] - 1

    def gathered(logits: Tensor) -> list[Tensor]:
        kept = [p.grad for p in parameters]
        try:
            for p in parameters:
                p.grad = None
            log_p = torch.log_softmax(logits, dim=2)
            (-log_p.gather(2, tokens[:, 1:].unsqueeze(2))).sum().backward()
            return [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        finally:
            for p, old in zip(parameters, kept, strict=True):
                p.grad = old

    one_pass = gathered(model(tokens[:, :steps]))
    rows = [model(tokens[:, : t + 1])[:, t] for t in range(steps)]
    return one_pass, gathered(torch.stack(rows, dim=1))
