# %% wrong: the norm of the mean
# The gradients are averaged over the batch before the norm, so that those of opposite direction cancel. Shows for
# B >= 2.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaf = inputs.detach().clone().requires_grad_()
    outputs = network(leaf)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), leaf)
    return gradient.mean(dim=0).norm(dim=-1)


# %% wrong: backward through the network
# backward() leaves gradients on the network's parameters, or adds to those that stand there.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaf = inputs.detach().clone().requires_grad_()
    result = network(leaf)
    outputs = result[0] if isinstance(result, tuple) else result
    outputs[:, -1].sum().backward()
    return leaf.grad.norm(dim=2).mean(dim=0)


# %% wrong: always the first item
# A network that returns outputs (B, S, H) as a tensor loses its batch: [0] is the first sentence, and [:, -1] its last
# number of each state. Shows for any module that does not return a tuple.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaf = inputs.detach().clone().requires_grad_()
    outputs = network(leaf)[0]
    gradient = torch.autograd.grad(outputs[:, -1].sum(), leaf)[0]
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: the caller's inputs are switched on
# requires_grad_() on the caller's own tensor, which still requires gradients afterwards.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    result = network(inputs)
    outputs = result[0] if isinstance(result, (tuple, list)) else result
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), [inputs])
    return gradient.norm(dim=-1).mean(dim=0).detach()


# %% correct: a leaf for each place

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaves = [place.clone().requires_grad_() for place in inputs.detach().unbind(dim=1)]  # S times (B, I)
    outputs = network(torch.stack(leaves, dim=1))
    while isinstance(outputs, tuple):
        outputs = outputs[0]
    slopes = torch.autograd.grad(outputs[:, -1].sum(), leaves, materialize_grads=True)
    return torch.stack([slope.square().sum(dim=1).sqrt().mean() for slope in slopes])


# %% correct: backward for the inputs alone, one sentence at a time

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    total = inputs.new_zeros(inputs.shape[1])
    leaf = inputs.detach().clone().requires_grad_()
    outputs = network(leaf)
    if not torch.is_tensor(outputs):
        outputs = outputs[0]
    last = outputs[:, -1]
    last.backward(torch.ones_like(last), inputs=[leaf])
    for slopes in leaf.grad:  # (S, I), of one sentence
        total = total + torch.linalg.vector_norm(slopes, dim=1)
    return total / len(inputs)
