# %% wrong: always unpacked as a pair
# outputs, _ = network(inputs) works for nn.GRU only. A module that returns the outputs alone raises,
# or with B = 2 falls apart into its two sentences.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs, _ = network(x)
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: mean over the batch before the norm
# Averages the gradients of the batch and takes the norm of the mean: sentences whose gradients point in
# different directions cancel. Right for B = 1, too small for B > 1.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=1)


# %% wrong: the network's gradients zeroed away
# backward and then network.zero_grad(): no gradient is added for a fresh network, but gradients that stood on the
# parameters before the call are gone.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.clone().detach().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=-1).mean(dim=0)


# %% wrong: the caller's inputs left requiring gradients
# Calls requires_grad_ on the caller's tensor itself, so inputs require gradients after the call.
# The returned numbers are right.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_()
    outputs = network(inputs)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    gradient = torch.autograd.grad(outputs[:, -1].sum(), inputs)[0]
    return gradient.norm(dim=2).mean(dim=0)


# %% correct: one leaf for each position, laid together before the network

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        leaves = [column.detach().clone().requires_grad_() for column in inputs.unbind(dim=1)]  # S times (B, I)
        result = network(torch.stack(leaves, dim=1))
        outputs = result[0] if isinstance(result, tuple) else result
        gradients = torch.autograd.grad(outputs[:, -1].sum(), leaves)
    return torch.stack([sum(torch.linalg.vector_norm(row) for row in g) / len(g) for g in gradients])


# %% correct: a hook that catches the gradient on its way

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    caught = []
    with torch.enable_grad():
        probe = torch.zeros_like(inputs).requires_grad_()
        shifted = inputs.detach() + probe
        shifted.register_hook(caught.append)
        result = network(shifted)
        (result[0] if isinstance(result, tuple) else result).select(1, -1).sum().backward(inputs=[probe])
    (gradient,) = caught
    lengths = gradient[..., 0].abs()
    for part in gradient.unbind(dim=2)[1:]:
        lengths = torch.hypot(lengths, part)
    return lengths.detach().mean(dim=0)
