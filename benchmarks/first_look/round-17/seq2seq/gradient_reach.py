# %% wrong: a small number under the root
# 1e-12 is added under the square root, "so that the norm has a slope everywhere", and becomes a floor of 1e-6. Shows where little is left of
# the gradient, as it is many steps back (Figure 1.7 reads down to 1e-9), and where it is zero.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaf = inputs.detach().clone().requires_grad_()
    outputs = network(leaf)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), leaf)
    lengths = (gradient.square().sum(dim=2) + 1e-12).sqrt()  # (B, S)
    return lengths.mean(dim=0)

# %% wrong: as a share of the nearest
# Divides by the reach of the last input, as the figures of the section do; the caller does that. Shows wherever the last entry is not 1.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaf = inputs.detach().clone().requires_grad_(True)
    result = network(leaf)
    outputs = result[0] if isinstance(result, tuple) else result
    slopes = torch.autograd.grad(outputs[:, -1].sum(), leaf)[0]
    reach = slopes.norm(dim=-1).mean(dim=0)
    return reach / reach[-1]

# %% wrong: the first item, tuple or not
# network(...)[0] is the outputs of a tuple, but the first sentence of a tensor: [:, -1] is then its last number at every place. Shows for a
# network that returns a plain tensor.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone()
    x.requires_grad = True
    outputs = network(x)[0]
    (slopes,) = torch.autograd.grad(outputs[:, -1].sum(), [x])
    return torch.linalg.vector_norm(slopes, dim=2).mean(dim=0)

# %% wrong: all parameters thawed at the end
# So that backward adds nothing to them, the parameters are frozen for the call, and afterwards all of them require gradients, those too that
# did not before. Shows for a network with a frozen parameter: it is not left as it was.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    leaf = inputs.detach().clone().requires_grad_()
    outputs = network(leaf)
    outputs = outputs if torch.is_tensor(outputs) else outputs[0]
    outputs[:, -1].sum().backward()
    for parameter in network.parameters():
        parameter.requires_grad_(True)
    return leaf.grad.norm(dim=2).mean(dim=0)

# %% correct: every place a leaf of its own

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        places = [place.detach().clone().requires_grad_() for place in inputs.unbind(dim=1)]  # S times (B, I)
        outputs = network(torch.stack(places, dim=1))
        if isinstance(outputs, tuple):
            outputs, *_ = outputs
        slopes = torch.autograd.grad(outputs.select(1, -1).sum(), places)
    return torch.stack([slope.norm(dim=1).mean() for slope in slopes])

# %% correct: backward for one input only, and norms as roots of dot products

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    probe = nn.Parameter(inputs.detach().clone(memory_format=torch.contiguous_format))
    outputs = network(probe)
    last = (outputs[0] if isinstance(outputs, tuple) else outputs)[:, -1]
    last.backward(torch.ones_like(last), inputs=[probe])
    gradient = probe.grad
    largest = gradient.abs().amax(dim=2, keepdim=True).clamp(min=torch.finfo(gradient.dtype).tiny)
    scaled = gradient / largest
    lengths = torch.einsum("bsi,bsi->sb", scaled, scaled).sqrt() * largest.squeeze(2).T
    return lengths.sum(dim=1) / len(inputs)
