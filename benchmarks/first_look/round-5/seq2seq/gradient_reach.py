# %% wrong: the saved gradients are not copies
# The list holds the gradient tensors themselves; backward adds to them in place, and putting them back puts back the sum.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    saved = [parameter.grad for parameter in network.parameters()]
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    outputs[:, -1].sum().backward()
    for parameter, grad in zip(network.parameters(), saved, strict=True):
        parameter.grad = grad
    return x.grad.norm(dim=2).mean(dim=0)


# %% wrong: the norm of the mean gradient
# The gradient is averaged over the batch first: gradients that point in different directions cancel before their length is taken.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=-1)


# %% wrong: two items are always unpacked
# A network that returns outputs alone is unpacked along its batch: an error, or for a batch of two the second sentence is dropped.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaf = inputs.clone().detach().requires_grad_(True)
    outputs, _ = network(leaf)
    last = outputs[..., -1, :].sum()
    gradient = torch.autograd.grad(last, leaf)[0]
    return torch.linalg.vector_norm(gradient, dim=2).mean(dim=0)


# %% wrong: shares that sum to one
# Share is taken literally and the norms are divided by their sum; the norm itself, averaged over the batch, is asked for.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs, *_ = outputs
    gradient, = torch.autograd.grad(outputs[:, -1].sum(), [x])
    reach = gradient.norm(dim=-1).mean(dim=0)
    return reach / reach.sum()


# %% wrong: the gradient stays on the inputs
# requires_grad is switched off again, but inputs.grad is not cleared: the caller's inputs have changed, and a second call adds to the first.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    outputs = network(inputs)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    outputs[:, -1].sum().backward(inputs=[inputs])
    inputs.requires_grad_(False)
    return inputs.grad.norm(dim=2).mean(dim=0)


# %% correct: the jacobian of a scalar function

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    def last_sum(x: Tensor) -> Tensor:
        result = network(x)
        outputs = result[0] if isinstance(result, tuple) else result
        return outputs.select(1, -1).sum()

    slopes = torch.autograd.functional.jacobian(last_sum, inputs.detach().clone())  # (B, S, I)
    lengths = slopes.square().sum(dim=2).sqrt()
    return lengths.sum(dim=0) / len(inputs)


# %% correct: backward to a leaf alone, then place by place

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        leaf = torch.empty_like(inputs, requires_grad=False).copy_(inputs.detach())
        leaf.requires_grad = True
        given = network(leaf)
        (outputs,) = given[:1] if isinstance(given, tuple) else (given,)
        outputs[:, outputs.shape[1] - 1, :].sum().backward(inputs=[leaf])
    reach = []
    for at_place in leaf.grad.unbind(dim=1):  # S times (B, I)
        reach.append(torch.stack([torch.linalg.vector_norm(row) for row in at_place]).mean())
    return torch.stack(reach)
