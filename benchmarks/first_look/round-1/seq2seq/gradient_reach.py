# %% wrong: one norm over batch and width
# The norm is taken over the batch as well, and then divided by B: the root of a sum of squares in place of a mean of norms. Right for B = 1. A good message: "right for one sentence: first the norm over I, then the mean over the batch".

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=(0, 2)) / len(inputs)

# %% wrong: always unpacks
# Written for nn.GRU: outputs, _ = network(x). A network that returns a plain tensor fails, or, where the batch has two rows, silently hands over its first row as "outputs". A good message: "fails for a network that returns a plain tensor".

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs, _ = network(x)
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)

# %% wrong: backward on the caller's own tensors
# Sets requires_grad on the caller's inputs and calls backward(): the parameters get gradients added, and zero_grad afterwards removes also those that stood there. A good message: "the network's gradients were touched; torch.autograd.grad gives the one gradient that is wanted".

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    outputs = network(inputs)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    reach = inputs.grad.norm(dim=2).mean(dim=0)
    inputs.grad = None
    inputs.requires_grad_(False)
    network.zero_grad()
    return reach

# %% correct: vector-Jacobian product with ones at the last output

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        x = inputs.detach().clone().requires_grad_()
        match network(x):
            case (outputs, *_):
                pass
            case outputs:
                pass
    pull = torch.zeros_like(outputs)
    pull[:, -1] = 1
    gradient = torch.autograd.grad(outputs, x, grad_outputs=pull)[0]
    return torch.einsum("bsi,bsi->bs", gradient, gradient).sqrt().mean(0)
