# %% wrong: tidied up with zero_grad
# backward() writes into .grad, and zero_grad() before and after throws away what the model had there.
# Shows for a model whose .grad fields hold something: they are None afterwards.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    T = tokens.shape[1] - 1
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for t in range(1, T + 1):
        last = model(tokens[:, :t])[:, -1]
        F.cross_entropy(last, tokens[:, t], reduction="sum").backward()
    prefixes = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return one_pass, prefixes


# %% wrong: the last prediction has no prefix
# range(1, T) ends at T - 1, so that the prediction of the last token is missing from the second gradient.
# Shows for every window; with T = 1 there is nothing to differentiate at all.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    T = tokens.shape[1] - 1
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = list(torch.autograd.grad(loss, parameters))
    total = [torch.zeros_like(p) for p in parameters]
    for t in range(1, T):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        for kept, new in zip(total, torch.autograd.grad(loss, parameters)):
            kept += new
    return one_pass, total


# %% wrong: the prefixes are averaged over the sentences
# The one pass is a sum, but in the loop cross_entropy is left at its mean over the B sentences.
# Shows for every B > 1: the second gradient is B times too small.

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    params = list(model.parameters())
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    everything = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), reduction="sum")
    first = list(torch.autograd.grad(everything, params))
    loss = 0
    for t in range(1, tokens.shape[1]):
        logits = model(tokens[:, :t])
        loss = loss + F.cross_entropy(logits[:, -1, :], tokens[:, t])
    second = list(torch.autograd.grad(loss, params))
    return first, second


# %% wrong: both lists hold the same tensors
# The first list keeps the .grad tensors of a copy without cloning them; they are zeroed in place and filled again.
# Both lists are then the second gradient. Shows for a model that is not causal: its two gradients come out equal.

import copy


def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    twin = copy.deepcopy(model)  # so that the model's own .grad stays
    twin.zero_grad()
    logits = twin(tokens[:, :-1])
    F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum").backward()
    one_pass = [p.grad for p in twin.parameters()]
    twin.zero_grad(set_to_none=False)
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(twin(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    return one_pass, [p.grad for p in twin.parameters()]


# %% correct: the slope handed in at the logits

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = tuple(model.parameters())

    def pulled_back(logits: Tensor, came: Tensor) -> list[Tensor]:
        # the derivative of -ln p by the logits is softmax minus one-hot
        slope = torch.softmax(logits.detach(), dim=-1)
        slope = slope - F.one_hot(came, logits.shape[-1]).to(slope.dtype)
        return list(torch.autograd.grad(logits, parameters, grad_outputs=slope))

    with torch.enable_grad():
        one_pass = pulled_back(model(tokens[:, :-1]), tokens[:, 1:])
        by_prefix = [pulled_back(model(tokens[:, :t])[:, t - 1], tokens[:, t]) for t in range(1, tokens.shape[1])]
    return one_pass, [torch.stack(parts).sum(dim=0) for parts in zip(*by_prefix)]


# %% correct: backward, with the old .grad put aside and back

def prefixes_equal_one_pass(model, tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    parameters = list(model.parameters())
    put_aside = [p.grad for p in parameters]
    results = []
    try:
        for prefixes in ([None], range(1, tokens.shape[1])):
            for p in parameters:
                p.grad = None
            for t in prefixes:
                if t is None:
                    log_p = model(tokens[:, :-1]).log_softmax(dim=2)
                    came = tokens[:, 1:]
                else:
                    log_p = model(tokens[:, :t]).log_softmax(dim=2)[:, -1:]
                    came = tokens[:, t : t + 1]
                log_p.gather(2, came.unsqueeze(2)).sum().neg().backward()
            results.append([p.grad for p in parameters])
    finally:
        for p, old in zip(parameters, put_aside):
            p.grad = old
    return results[0], results[1]
