# %% wrong: the first item of whatever comes back
# For a network that returns a plain tensor (B, S, H), [0] is the first sentence, and [:, -1] the last feature at each
# of its steps: no error, and other numbers.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: the mean before the norm
# Gradients of different sentences cancel before their length is taken. Shows for B = 2 and more; for B = 1 it is
# right.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=-1)


# %% wrong: the caller's inputs go on requiring gradients
# requires_grad_ is set on the inputs themselves (detach and clone are missing), and nobody takes it back: after the
# call inputs.requires_grad is True.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    result = network(inputs)
    outputs = result[0] if isinstance(result, tuple) else result
    gradient = torch.autograd.grad(outputs[:, -1].sum(), inputs)[0]
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: backward, and then a clean sweep
# backward also adds to the network's parameters, and zero_grad removes not only that but the gradients that stood
# there before. Shows for a network whose parameters have a .grad.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=2).mean(dim=0)


# %% correct: a leaf for each step
def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    steps = [x.clone().requires_grad_() for x in inputs.detach().unbind(dim=1)]  # S times (B, I)
    outputs = network(torch.stack(steps, dim=1))
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    slopes = torch.autograd.grad(outputs[:, -1].sum(), steps)
    return torch.stack([torch.linalg.vector_norm(slope, dim=1).mean() for slope in slopes])


# %% correct: the slope for a nudge of size zero
def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    nudge = torch.zeros_like(inputs, requires_grad=True)
    answer = network(inputs.detach() + nudge)
    outputs = answer[0] if isinstance(answer, tuple) else answer
    outputs.select(1, -1).sum().backward(inputs=[nudge])  # into the nudge alone
    lengths = nudge.grad.double().square().sum(dim=2).sqrt()  # (B, S)
    return (lengths.sum(dim=0) / len(inputs)).to(inputs.dtype)
