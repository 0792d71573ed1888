# %% wrong: means in place of sums
# cross_entropy's default mean: one pass gives the gradient divided by B * T, the prefixes one divided by B. Shows
# for every input with B > 1 or T > 1.


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    one_pass = list(torch.autograd.grad(loss, parameters))
    total = 0.0
    for t in range(1, tokens.shape[1]):
        total = total + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    prefixes = list(torch.autograd.grad(total, parameters))
    return one_pass, prefixes


# %% wrong: backward, and zero_grad at the end
# The gradients are read off .grad and the fields cleared afterwards, so what stood in the model's .grad before
# the call is lost. Shows with a model that has gradients already.


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(
        logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    ).backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: every row of every prefix
# All rows of a prefix's logits are scored, not the last alone, so that early predictions count many times. Shows
# for T of 2 or more, in the second list.


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def gradient(windows):
        logits = model(windows[:, :-1])
        loss = F.cross_entropy(
            logits.transpose(1, 2), windows[:, 1:], reduction="sum"
        )
        return list(torch.autograd.grad(loss, list(model.parameters())))

    one_pass = gradient(tokens)
    prefixes = [torch.zeros_like(p) for p in model.parameters()]
    for t in range(1, tokens.shape[1]):
        prefixes = [a + b for a, b in zip(prefixes, gradient(tokens[:, : t + 1]))]
    return one_pass, prefixes


# %% wrong: the last prefix is left out
# T is taken as the number of columns less one, and range stops before it: token T is predicted in one pass and
# by no prefix. Shows for every input; with T = 1 there is no prefix at all.


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    T = tokens.shape[1] - 1
    loss = F.cross_entropy(
        model(tokens[:, :T]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    )
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, T):
        loss = F.cross_entropy(
            model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum"
        )
        for total, piece in zip(prefixes, torch.autograd.grad(loss, parameters)):
            total += piece
    return one_pass, prefixes


# %% correct: a functional call with parameters that are leaves of their own


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    leaves = {
        name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()
    }

    def surprise(read: Tensor, wanted: Tensor, rows: slice) -> Tensor:
        logits = torch.func.functional_call(model, leaves, (read,))[:, rows]
        log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
        return -log_p.gather(2, wanted.unsqueeze(2)).sum()

    def gradient(loss: Tensor) -> list[Tensor]:
        found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        return [
            torch.zeros_like(leaf) if g is None else g
            for g, leaf in zip(found, leaves.values(), strict=True)
        ]

    one_pass = gradient(surprise(tokens[:, :-1], tokens[:, 1:], slice(None)))
    prefixes = None
    for t in range(1, tokens.shape[1]):
        piece = gradient(surprise(tokens[:, :t], tokens[:, t : t + 1], slice(-1, None)))
        if prefixes is None:
            prefixes = piece
        else:
            prefixes = [a + b for a, b in zip(prefixes, piece, strict=True)]
    return one_pass, prefixes


# %% correct: backward, with the old .grad put aside and put back


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    aside = [p.grad for p in parameters]

    def take() -> list[Tensor]:
        taken = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        for p in parameters:
            p.grad = None
        return taken

    T = tokens.shape[1] - 1
    try:
        for p in parameters:
            p.grad = None
        log_p = model(tokens[:, :T]).log_softmax(dim=2)
        # one backward pass for each prediction's column, all through the same graph
        for t in range(T):
            column = log_p[:, t].gather(1, tokens[:, t + 1 : t + 2])
            (-column.sum()).backward(retain_graph=t + 1 < T)
        one_pass = take()
        for t in range(T, 0, -1):
            log_p = model(tokens[:, :t])[:, t - 1].log_softmax(dim=1)
            F.nll_loss(log_p, tokens[:, t], reduction="sum").backward()
        return one_pass, take()
    finally:
        for p, old in zip(parameters, aside, strict=True):
            p.grad = old
