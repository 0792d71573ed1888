# %% wrong: the model's gradients are cleared instead of kept
# backward() and zero_grad: both lists are right, but gradients that the model had before the call
# are gone afterwards. Shows for a model that comes with .grad.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def loss(logits, targets):
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), reduction="sum")

    model.zero_grad()
    loss(model(tokens[:, :-1]), tokens[:, 1:]).backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        loss(model(tokens[:, :t])[:, -1], tokens[:, t]).backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: the longest prefix is left out
# range(1, T) for T = number of inputs: the prediction of the last token is never made. With one
# prediction (two tokens) there is no prefix at all.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum")
    one_pass = torch.autograd.grad(loss, parameters)
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, inputs.shape[1]):
        loss = F.cross_entropy(model(inputs[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters)):
            total += g
    return list(one_pass), prefixes


# %% wrong: a prefix's loss is the mean over the batch
# The one pass sums, but cross_entropy keeps its default in the loop, so the second list is B times
# too small. With a batch of one window nothing shows.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    loss = sum(
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.shape[1])
    )
    return one_pass, list(torch.autograd.grad(loss, parameters))


# %% wrong: both lists are the same tensors
# The .grad tensors are taken without a copy, zeroed in place and added up again: the one pass's
# list ends as the prefixes'. Equal as they should be for a causal model; wrong for one that looks
# ahead, such as a GRU in both directions.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    before = [p.grad for p in model.parameters()]
    for p in model.parameters():
        p.grad = None
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum").backward()
    one_pass = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad for p in model.parameters()]
    for p, grad in zip(model.parameters(), before):
        p.grad = grad
    return one_pass, prefixes


# %% correct: the gradient with respect to the logits written down by hand

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = [*model.parameters()]

    def pulled_back(logits: Tensor, targets: Tensor):
        """softmax minus one-hot is the gradient of -ln p; logits (B, V), targets (B,), or with T."""
        with torch.no_grad():
            slope = logits.softmax(dim=-1)
            slope = slope - F.one_hot(targets, logits.shape[-1]).to(slope.dtype)
        return torch.autograd.grad(logits, parameters, grad_outputs=slope)

    with torch.enable_grad():
        one_pass = [g.detach().clone() for g in pulled_back(model(tokens[:, :-1]), tokens[:, 1:])]
        prefixes = [torch.zeros_like(p, requires_grad=False) for p in parameters]
        for t in range(1, tokens.shape[1]):
            for total, part in zip(prefixes, pulled_back(model(tokens[:, :t])[:, -1], tokens[:, t]), strict=True):
                total.add_(part)
    return one_pass, prefixes


# %% correct: the last rows of all prefixes put together, one gradient at the end

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    length = tokens.size(1) - 1

    def gradient(logits: Tensor) -> list[Tensor]:
        """logits (B, T, V), however they came about."""
        surprise = logits.logsumexp(dim=-1) - logits.gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)
        return [*torch.autograd.grad(surprise.sum(), tuple(model.parameters()))]

    with torch.enable_grad():
        at_once = gradient(model(tokens.narrow(1, 0, length)))
        rows = [model(tokens.narrow(1, 0, t + 1)).select(1, t) for t in range(length)]
        one_by_one = gradient(torch.stack(rows, dim=1))
    return at_once, one_by_one
