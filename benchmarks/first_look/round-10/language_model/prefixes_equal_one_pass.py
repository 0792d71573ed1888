# %% wrong: backward, and .grad cleared away
# The gradients go by way of .grad, and zero_grad sets it to None: where a parameter had a .grad before the call, it is gone
# ("left alone"). Where all were None nothing shows.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    model.zero_grad()
    F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(targets.shape[1]):
        logits = model(inputs[:, : t + 1])[:, -1]
        F.cross_entropy(logits, targets[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: a mean over the windows in the prefixes
# cross_entropy of one place is a mean over the B windows: the second gradient is too small by B. Right for B = 1.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    loss = 0.0
    for t in range(1, tokens.shape[1]):
        loss = loss + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
    return one_pass, list(torch.autograd.grad(loss, parameters))


# %% wrong: the last prediction has no prefix
# The loop ends one too early: token T is never predicted from a prefix, so the two gradients differ for a causal model
# too; with T = 1 there is no prefix at all.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    T = tokens.shape[1] - 1
    loss = F.cross_entropy(model(tokens[:, :T]).transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = [torch.zeros_like(p) for p in parameters]
    for t in range(1, T):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for total, g in zip(prefixes, torch.autograd.grad(loss, parameters), strict=True):
            total += g
    return one_pass, prefixes


# %% wrong: dropout switched off for good
# model.eval() makes the two comparable, and nobody switches back: a model that came in training mode is left in eval mode.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model.eval()
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    prefixes = None
    for t in range(1, tokens.shape[1]):
        logits = model(tokens[:, :t])[:, -1]
        loss = F.cross_entropy(logits, tokens[:, t], reduction="sum")
        gradient = torch.autograd.grad(loss, parameters)
        prefixes = list(gradient) if prefixes is None else [a + b for a, b in zip(prefixes, gradient, strict=True)]
    return one_pass, prefixes


# %% correct: last rows collected, one gradient of them all

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def gradient(logits: Tensor) -> list[Tensor]:
        log_p = logits.log_softmax(dim=2).gather(2, tokens[:, 1:].unsqueeze(2))
        return [g.clone() for g in torch.autograd.grad(-log_p.sum(), list(model.parameters()))]

    with torch.enable_grad():
        one_pass = gradient(model(tokens[:, :-1]))
        rows = [model(tokens[:, : t + 1])[:, t] for t in range(tokens.shape[1] - 1)]
        prefixes = gradient(torch.stack(rows, dim=1))
    return one_pass, prefixes


# %% correct: backward through two copies of the model

import copy


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    whole, pieces = copy.deepcopy(model), copy.deepcopy(model)
    whole.zero_grad(set_to_none=True)
    pieces.zero_grad(set_to_none=True)
    targets = tokens[:, 1:]
    logits = whole(tokens[:, :-1])
    (logits.logsumexp(dim=2) - logits.gather(2, targets[..., None])[..., 0]).sum().backward()
    for t in range(targets.shape[1]):
        last = pieces(tokens[:, : t + 1])[:, -1]
        (last.logsumexp(dim=1) - last.gather(1, targets[:, t, None])[:, 0]).sum().backward()
    return [p.grad for p in whole.parameters()], [p.grad for p in pieces.parameters()]
