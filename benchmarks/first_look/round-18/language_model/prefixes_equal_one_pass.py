# %% wrong: the last token is never predicted from a prefix
# range(1, T) stops one prefix early: the prefixes' gradient lacks the prediction of the last token, at every input.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    total = 0.0
    for t in range(1, inputs.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        total = total + F.cross_entropy(last, tokens[:, t], reduction="sum")
    return one_pass, list(torch.autograd.grad(total, parameters))


# %% wrong: a mean over the batch in each prefix
# The prefixes' losses are means over B: right with one sentence, too small by the factor B with several.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    one_pass = torch.autograd.grad(loss.sum(), parameters)
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        for total, g in zip(
            prefixes, torch.autograd.grad(F.cross_entropy(last, tokens[:, t]), parameters), strict=True
        ):
            total += g
    return list(one_pass), prefixes


# %% wrong: the model's gradients are zeroed on the way
# Uses backward and zero_grad: gradients that the model had before the call (from a step half done) are lost.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.zero_grad()
    loss = F.cross_entropy(
        model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    )
    loss.backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: both lists hold the same tensors
# one_pass keeps p.grad without a copy, and zero_ and the prefixes go on in it: for a bidirectional GRU both lists are equal.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    kept = [p.grad for p in parameters]
    for p in parameters:
        p.grad = None
    F.cross_entropy(
        model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
    ).backward()
    one_pass = [p.grad for p in parameters]
    for p in parameters:
        p.grad.zero_()
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad for p in parameters]
    for p, old in zip(parameters, kept, strict=True):
        p.grad = old
    return one_pass, prefixes


# %% correct: the gradient of the loss by the logits by hand, softmax minus one-hot

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = tuple(model.parameters())

    def pull(logits: Tensor, target: Tensor) -> tuple[Tensor, ...]:
        with torch.no_grad():
            slope = logits.softmax(dim=-1)
            slope = slope - F.one_hot(target, logits.shape[-1]).to(slope.dtype)
        return torch.autograd.grad(logits, parameters, grad_outputs=slope)

    one_pass = list(pull(model(tokens[:, :-1]), tokens[:, 1:]))
    prefixes = None
    for t in range(1, tokens.shape[1]):
        found = pull(model(tokens[:, :t])[:, -1], tokens[:, t])
        prefixes = list(found) if prefixes is None else [a + b for a, b in zip(prefixes, found)]
    return one_pass, prefixes


# %% correct: backward on a deep copy of the model

import copy


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    twin = copy.deepcopy(model)

    def collected(losses) -> list[Tensor]:
        for p in twin.parameters():
            p.grad = None
        for loss in losses:
            loss.backward()
        return [p.grad.detach().clone() for p in twin.parameters()]

    def nats(logits: Tensor, target: Tensor) -> Tensor:
        return -logits.log_softmax(-1).gather(-1, target.unsqueeze(-1)).sum()

    whole = collected([nats(twin(tokens[:, :-1]), tokens[:, 1:])])
    single = collected(
        nats(twin(tokens[:, :t])[:, t - 1], tokens[:, t]) for t in range(1, tokens.shape[1])
    )
    return whole, single
