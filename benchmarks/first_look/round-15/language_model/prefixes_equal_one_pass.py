# %% wrong: the prefixes' rows taken from one call
# The losses are added one by one, but all rows of logits come from a single call on all T
# tokens. For a causal model nothing shows; a GRU in both directions looks equal too.

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

# %% wrong: a prefix's loss is a mean over the batch
# reduction="sum" in the first half, the default mean in the loop: the prefixes' gradient is B
# times too small. With one window (B = 1) both are right.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = torch.autograd.grad(loss, parameters)
    loss = 0.0
    for t in range(1, tokens.shape[1]):
        loss = loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    prefixes = torch.autograd.grad(loss, parameters)
    return list(one_pass), list(prefixes)

# %% wrong: the .grad fields are used and emptied
# Both gradients are right, but they are made in the model's .grad, and what stood there before
# is gone. Shows for a model whose parameters have a .grad when it is passed.

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
# The kept .grad fields are put back, but the first list holds the .grad tensors themselves and
# the loop adds into them: both lists end as the sum of both gradients. Wrong for every model, and
# the comparison says "equal" always.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    kept = [p.grad for p in parameters]
    for p in parameters:
        p.grad = None
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad for p in parameters]
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad for p in parameters]
    for p, grad in zip(parameters, kept):
        p.grad = grad
    return one_pass, prefixes

# %% correct: one autograd call a prefix, folded into a tuple of sums

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    weights = tuple(model.parameters())

    def surprise(logits, targets):
        return -logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1)).sum()

    with torch.enable_grad():
        first = torch.autograd.grad(surprise(model(tokens[:, :-1]), tokens[:, 1:]), weights)
        sums = tuple(torch.zeros_like(w) for w in weights)
        for end in range(1, tokens.shape[1]):
            rows = model(tokens[:, :end])[:, end - 1]
            one = torch.autograd.grad(surprise(rows, tokens[:, end]), weights)
            sums = tuple(a + b for a, b in zip(sums, one))
    return list(first), list(sums)

# %% correct: backward into .grad, with the old fields put back at the end

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    before = [p.grad for p in parameters]

    def collect(pairs):
        for p in parameters:
            p.grad = None
        for logits, targets in pairs:
            picked = torch.take_along_dim(logits, targets[..., None], dim=-1)[..., 0]
            (torch.logsumexp(logits, dim=-1) - picked).sum().backward()
        return [p.grad.detach().clone() for p in parameters]

    try:
        whole = collect([(model(tokens[:, :-1]), tokens[:, 1:])])
        pieces = collect(
            (model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.shape[1])
        )
    finally:
        for p, grad in zip(parameters, before):
            p.grad = grad
    return whole, pieces
