# %% wrong: by way of the .grad fields
# backward() writes into the model's own .grad: what stood there is lost, and what is left is new. (The numbers are right.) A good message: "the .grad fields have changed: use torch.autograd.grad".

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    model.zero_grad()
    F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum").backward()
    at_once = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    one_by_one = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return at_once, one_by_one

# %% wrong: the prefixes cut from one pass
# The "prefixes" are rows of the one pass, not calls of their own: both gradients are the same for every model, one that reads in both directions included. A good message: "for a bidirectional GRU the two must differ: the prediction of token t is to come from a call on tokens 0 to t - 1".

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    whole = torch.autograd.grad(loss, parameters, retain_graph=True, materialize_grads=True)
    loss = sum(F.cross_entropy(logits[:, t], tokens[:, t + 1], reduction="sum") for t in range(logits.shape[1]))
    pieces = torch.autograd.grad(loss, parameters, materialize_grads=True)
    return list(whole), list(pieces)

# %% wrong: means, and one prefix too few
# Mean over predictions in the one pass, sum of means over the batch in the other, and the loop ends before the last token. A good message: "the loss is the SUM; with T = 1 there is one prefix".

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
    first = list(torch.autograd.grad(loss, parameters))
    second = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1] - 1):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t])
        second = [a + b for a, b in zip(second, torch.autograd.grad(loss, parameters))]
    return first, second

# %% correct: a function of parameters of its own

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    def surprise(parameters: dict, inputs: Tensor, targets: Tensor, rows: slice) -> Tensor:
        logits = torch.func.functional_call(model, parameters, (inputs,))[:, rows]
        return -logits.log_softmax(dim=-1).gather(2, targets.unsqueeze(2)).sum()

    def gradient(jobs: list) -> list[Tensor]:
        copies = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
        total = [torch.zeros_like(p) for p in copies.values()]
        for job in jobs:
            grads = torch.autograd.grad(surprise(copies, *job), list(copies.values()), materialize_grads=True)
            for have, grad in zip(total, grads):
                have += grad
        return total

    whole = [(tokens[:, :-1], tokens[:, 1:], slice(None))]
    prefixes = [(tokens[:, :t], tokens[:, t : t + 1], slice(-1, None)) for t in range(1, tokens.shape[1])]
    return gradient(whole), gradient(prefixes)
