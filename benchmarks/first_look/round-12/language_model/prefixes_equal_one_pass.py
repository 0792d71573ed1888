# %% wrong: means in place of sums
# cross_entropy's mean in one pass, and the mean of each prefix's batch, added up: the first is too small by B * T, the second by
# B. It shows for every input with more than one prediction.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    one_pass = list(torch.autograd.grad(loss, parameters))
    loss = 0
    for t in range(1, tokens.shape[1]):
        loss = loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    return one_pass, list(torch.autograd.grad(loss, parameters))


# %% wrong: backward into the model's own fields
# zero_grad, backward and a copy of .grad, twice: the gradients are right, but the model's .grad fields are overwritten, and
# what stood there before is gone.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def collected() -> list[Tensor]:
        gradients = [parameter.grad.clone() for parameter in model.parameters()]
        model.zero_grad()
        return gradients

    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = collected()
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    return one_pass, collected()


# %% wrong: the last prefix is missing
# range(1, T) where T is the number of predictions: the prefix of all T input tokens, which predicts the last one, is left out.
# It shows for every input (with T = 1 there is no prefix at all).

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    T = tokens.shape[1] - 1
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(parameter) for parameter in parameters]
    for t in range(1, T):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for total, part in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += part
    return one_pass, prefixes


# %% wrong: prefixes padded to one length
# Fills each prefix up with token 0 to T tokens, so that all go through the model in one shape, and takes row t - 1. A causal model
# does not notice; one that reads in both directions sees the padding, which a call on the prefix alone does not have.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    loss = 0
    for t in range(1, tokens.shape[1]):
        prefix = inputs.clone()
        prefix[:, t:] = 0
        loss = loss + F.cross_entropy(model(prefix)[:, t - 1], tokens[:, t], reduction="sum")
    return one_pass, list(torch.autograd.grad(loss, parameters))


# %% correct: gradients added prefix by prefix, from gathered log-probabilities

def surprise(logits: Tensor, following: Tensor) -> Tensor:
    """The sum of -ln p: logits (..., V), following (...)."""
    return -logits.log_softmax(dim=-1).gather(-1, following.unsqueeze(-1)).sum()


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = tuple(model.parameters())
    at_once = torch.autograd.grad(surprise(model(tokens[:, :-1]), tokens[:, 1:]), parameters)
    one_by_one = None
    for end in range(1, tokens.shape[1]):
        prefix, following = tokens[:, :end], tokens[:, end]
        found = torch.autograd.grad(surprise(model(prefix)[:, -1], following), parameters)
        one_by_one = found if one_by_one is None else [a + b for a, b in zip(one_by_one, found, strict=True)]
    return list(at_once), list(one_by_one)


# %% correct: on two copies of the model, where backward may do as it likes

import copy


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def gradients(calls: list[tuple[Tensor, Tensor]]) -> list[Tensor]:
        twin = copy.deepcopy(model)
        for parameter in twin.parameters():
            parameter.grad = None
        with torch.enable_grad():
            for inputs, targets in calls:
                rows = twin(inputs)[:, -targets.shape[1] :]
                (rows.logsumexp(dim=2) - rows.gather(2, targets[..., None])[..., 0]).sum().backward()
        return [parameter.grad for parameter in twin.parameters()]

    ends = range(1, tokens.shape[1])
    return (
        gradients([(tokens[:, :-1], tokens[:, 1:])]),
        gradients([(tokens[:, :t], tokens[:, t : t + 1]) for t in ends]),
    )
