# %% wrong: throws away the gradients that were there
# The two gradients are right, but they are made in the .grad fields, which are None afterwards whatever stood in them before.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    T = tokens.shape[1] - 1
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, T + 1):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: mean over the batch rather than the sum
# cross_entropy is left at its mean and multiplied by T only, so both gradients are too small by the factor B.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    T = tokens.shape[1] - 1
    logits = model(tokens[:, :-1])
    whole = T * F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])
    one_pass = list(torch.autograd.grad(whole, parameters))
    piecewise = sum(F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, T + 1))
    return one_pass, list(torch.autograd.grad(piecewise, parameters))


# %% wrong: every prefix counts all of its rows
# The loss of a prefix takes all rows of its logits, so the first prediction is counted T times and the last one once.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())

    def gradient_of(part):
        logits = model(part[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), part[:, 1:].flatten(), reduction="sum")
        return torch.autograd.grad(loss, parameters)

    one_pass = list(gradient_of(tokens))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for end in range(2, tokens.shape[1] + 1):
        prefixes = [total + g for total, g in zip(prefixes, gradient_of(tokens[:, :end]))]
    return one_pass, prefixes


# %% wrong: the loop stops one prefix early
# range(1, T) ends at T - 1, so the last token is predicted in the one pass but by no prefix.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    T = inputs.shape[1]
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, T):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters)):
            total += g
    return one_pass, prefixes


# %% wrong: both lists hold the same tensors
# The lists hold the .grad tensors themselves, which are zeroed and filled again: in the end both are the second gradient. And
# the .grad fields are left full.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.zero_grad()
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    loss.backward()
    one_pass = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        loss.backward()
    prefixes = [p.grad for p in model.parameters()]
    return one_pass, prefixes


# %% correct: two lists of losses, one function for the gradient

def _surprise(rows, came):
    return -rows.log_softmax(dim=-1).gather(-1, came.unsqueeze(-1)).sum()


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    weights = list(model.parameters())

    def slopes(loss):
        found = torch.autograd.grad(loss, weights, allow_unused=True)
        return [torch.zeros_like(w) if g is None else g for w, g in zip(weights, found)]

    together = slopes(_surprise(model(tokens[:, :-1]), tokens[:, 1:]))
    sums = [torch.zeros_like(w) for w in weights]
    for end in range(1, tokens.shape[1]):
        piece = slopes(_surprise(model(tokens[:, :end])[:, -1], tokens[:, end]))
        sums = [a + b for a, b in zip(sums, piece)]
    return together, sums


# %% correct: backward, with the old gradients set aside

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    put_aside = [p.grad for p in parameters]

    def collect(losses):
        for p in parameters:
            p.grad = None
        for loss in losses:
            loss.backward()
        return [torch.zeros_like(p) if p.grad is None else p.grad.detach().clone() for p in parameters]

    def all_at_once():
        logits = model(tokens[:, :-1])
        yield F.nll_loss(F.log_softmax(logits, dim=2).transpose(1, 2), tokens[:, 1:], reduction="sum")

    def one_by_one():
        for t in range(1, tokens.shape[1]):
            last_row = model(tokens[:, :t])[:, -1, :]
            yield F.nll_loss(F.log_softmax(last_row, dim=1), tokens[:, t], reduction="sum")

    try:
        return collect(all_at_once()), collect(one_by_one())
    finally:
        for p, grad in zip(parameters, put_aside):
            p.grad = grad
