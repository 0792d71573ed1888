# %% wrong: all outputs in place of the last
# The gradient of the sum of all outputs is taken, not of the last one only.
# Breaks "the gradient of outputs[:, -1].sum()". Hint: how far back does an output in the middle have to look?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs.sum(), x)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: averaged before the norm
# The gradients are averaged over the batch first and the norm comes last, so gradients of different sentences cancel.
# Breaks "the norm over I ..., averaged over the batch" (for B = 1 it comes out right). Hint: two gradients g and -g; what is the mean of their norms?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=-1)


# %% wrong: a tuple taken for granted
# network(x)[0] is right for nn.GRU, but of a plain tensor it is the first sentence of the batch, and [:, -1] its last feature.
# Breaks "to outputs (B, S, H), or to a tuple": without any error for networks that return a tensor. Hint: what is [0] of a tensor?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: gradients cleared with the network's own
# The gradients that backward adds are removed by zero_grad, which throws away those that stood on the parameters before.
# Breaks "gradients that stand on its parameters stay". Hint: can you get the gradient of the inputs without touching .grad of the weights at all?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=2).mean(dim=0)


# %% correct: backward into the copy, norms by einsum

def _outputs_of(network: nn.Module, x: Tensor) -> Tensor:
    match network(x):
        case Tensor() as outputs:
            return outputs
        case (outputs, *_):
            return outputs


def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        copy = torch.empty_like(inputs).copy_(inputs.detach()).requires_grad_()
        _outputs_of(network, copy).select(1, -1).sum().backward(inputs=[copy])
    squares = torch.einsum("bsi,bsi->sb", copy.grad, copy.grad)
    return squares.sqrt().mean(dim=1)
