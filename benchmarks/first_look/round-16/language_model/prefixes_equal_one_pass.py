# %% wrong: both lists hold the same tensors
# Works on a copy of the model, but does not clear its .grad between the two: backward adds in place, so both lists hold
# the sum of the two gradients and always agree. Wrong for every input; the bidirectional GRU looks "equal".

import copy


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    model = copy.deepcopy(model)  # the given model's .grad is left alone
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad for p in model.parameters()]
    for t in range(1, tokens.shape[1]):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad for p in model.parameters()]
    return one_pass, prefixes


# %% wrong: the one pass reads the last token too
# The first call gets all T + 1 tokens and drops the last row. The same for a causal model, another gradient for one that
# reads in both directions (and a ValueError where T is the model's max_length).


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    params = list(model.parameters())
    logits = model(tokens)[:, :-1]
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    one_pass = list(torch.autograd.grad(loss, params))
    prefixes = [torch.zeros_like(p) for p in params]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        prefixes = [a + b for a, b in zip(prefixes, torch.autograd.grad(loss, params))]
    return one_pass, prefixes


# %% wrong: prefixes filled up with zeros
# Every prefix is filled up with token 0 to length T and row t - 1 is read, so that all calls have one shape. A model that
# reads in both directions sees the filling: its second gradient is wrong for every T > 1.


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    params = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    loss = F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum")
    one_pass = list(torch.autograd.grad(loss, params))
    prefixes = [torch.zeros_like(p) for p in params]
    for t in range(1, tokens.shape[1]):
        prefix = inputs.clone()
        prefix[:, t:] = 0  # not known yet
        loss = F.cross_entropy(model(prefix)[:, t - 1], tokens[:, t], reduction="sum")
        for total, grad in zip(prefixes, torch.autograd.grad(loss, params)):
            total += grad
    return one_pass, prefixes


# %% wrong: the old gradients remembered, but zeroed
# `saved` holds the same tensors that zero_grad(set_to_none=False) sets to zero and backward adds to. The returned lists
# are right; a model that had gradients before the call has others afterwards.


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    params = list(model.parameters())
    saved = [p.grad for p in params]

    model.zero_grad(set_to_none=False)
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in params]

    model.zero_grad(set_to_none=False)
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in params]

    for p, grad in zip(params, saved):
        p.grad = grad
    return one_pass, prefixes


# %% correct: .grad set aside, backward, .grad put back


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    params = list(model.parameters())
    aside = [p.grad for p in params]

    def gradient(losses) -> list[Tensor]:
        for p in params:
            p.grad = None
        for loss in losses:
            loss.backward()
        return [p.grad for p in params]

    def predictions():
        for t in range(1, tokens.shape[1]):
            row = model(tokens[:, :t])[:, -1].log_softmax(dim=1)
            yield -row.gather(1, tokens[:, t : t + 1]).sum()

    def everything():
        rows = model(tokens[:, :-1]).log_softmax(dim=2)
        yield -rows.gather(2, tokens[:, 1:].unsqueeze(2)).sum()

    try:
        return gradient(everything()), gradient(predictions())
    finally:
        for p, grad in zip(params, aside):
            p.grad = grad


# %% correct: one graph over all prefixes, the longest first


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = tuple(model.parameters())

    def nats(logits: Tensor, targets: Tensor) -> Tensor:
        return logits.logsumexp(dim=-1) - torch.take_along_dim(logits, targets.unsqueeze(-1), -1).squeeze(-1)

    whole = nats(model(tokens[:, :-1]), tokens[:, 1:])  # (B, T)
    one_pass = torch.autograd.grad(whole, parameters, torch.ones_like(whole))
    pieces = []
    rest = tokens
    while rest.shape[1] > 1:
        rest, target = rest[:, :-1], rest[:, -1]
        pieces.append(nats(model(rest)[:, -1], target))
    pieces = torch.stack(pieces)  # (T, B)
    prefixes = torch.autograd.grad(pieces, parameters, torch.ones_like(pieces))
    return list(one_pass), list(prefixes)
