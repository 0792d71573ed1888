# %% wrong: the mean before the norm
# The gradients of the sentences are averaged first, so that opposite ones cancel, and the norm is taken of what is left.
# Shows for every batch of two or more sentences.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=-1)

# %% wrong: the first item, tuple or not
# network(...)[0] is the outputs of a GRU, but of a network that returns a tensor it is the first sentence.
# Shows for a network that returns outputs (B, S, H) themselves.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)

# %% wrong: cleans up the network's gradients
# backward() adds gradients to the parameters, and zero_grad() then takes away those that stood there before as well.
# Shows where the parameters hold gradients before the call.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    out = network(x)
    if isinstance(out, tuple):
        out = out[0]
    out[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=-1).mean(dim=0)

# %% wrong: leaves a gradient on the caller's inputs
# The caller's own tensor requires gradients for a while and keeps its .grad: a second call adds to it and doubles.
# Shows in inputs.grad after the first call, and in the result of the second.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    out = network(inputs)
    out = out[0] if isinstance(out, tuple) else out
    out[:, -1].sum().backward(inputs=[inputs])
    inputs.requires_grad_(False)
    return inputs.grad.norm(dim=2).mean(dim=0)

# %% correct: ones sent back from the last output

# No sum is formed: the last outputs get gradients of one each, and the norm is written out.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        probe = inputs.detach() + torch.zeros_like(inputs, requires_grad=True)
        found = network(probe)
        last = (found if isinstance(found, Tensor) else found[0]).select(1, -1)
        back = torch.autograd.grad(last, probe, grad_outputs=torch.ones_like(last))[0]
    return torch.einsum("bsi,bsi->bs", back, back).sqrt().sum(dim=0) / len(inputs)

# %% correct: one leaf for each step

# The inputs are taken apart into S tensors that are stacked again, and each gets its own gradient.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        leaves = [x.clone().requires_grad_() for x in inputs.detach().unbind(dim=1)]  # S times (B, I)
        outputs = network(torch.stack(leaves, dim=1))
        if isinstance(outputs, tuple):
            outputs = outputs[0]
        slopes = torch.autograd.grad(outputs[:, -1].sum(), leaves, allow_unused=True)
    felt = [
        torch.zeros_like(leaf[0, 0]) if slope is None else torch.linalg.vector_norm(slope, dim=1).mean()
        for leaf, slope in zip(leaves, slopes, strict=True)
    ]
    return torch.stack(felt)
