# %% wrong: always unpacks a tuple
# A module that gives outputs alone is unpacked along the batch: it raises for B other than 2, and for B = 2
# takes the first sentence for the outputs.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs, _ = network(x)
    (gradient,) = torch.autograd.grad(outputs[..., -1, :].sum(), x)
    return gradient.norm(dim=-1).mean(dim=0)


# %% wrong: the caller's inputs require a gradient afterwards
# requires_grad_ is set on the argument itself and never taken back. The numbers are right.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    outputs = network(inputs)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: the average over the batch before the norm
# Gradients of different sentences cancel before their length is taken.
# Shows for every batch of two or more whose gradients are not parallel.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=1)


# %% wrong: backward, and the network's gradients set to zero after it
# zero_grad also takes away the gradients that stood on the parameters before the call.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=2).mean(dim=0)


# %% correct: a leaf for each step, laid together again

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        leaves = [x.detach().clone().requires_grad_() for x in inputs.unbind(dim=1)]  # S times (B, I)
        outputs = network(torch.stack(leaves, dim=1))
        if not torch.is_tensor(outputs):
            outputs = outputs[0]
        gradients = torch.autograd.grad(outputs[:, -1].sum(), leaves)
    return torch.stack([g.square().sum(dim=1).sqrt().mean() for g in gradients])


# %% correct: a function of what is added to the inputs, pulled back from a vector of ones

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        added = torch.zeros_like(inputs, requires_grad=True)
        outputs = network(inputs.detach() + added)
        outputs = outputs[0] if isinstance(outputs, (tuple, list)) else outputs
        last = outputs[:, outputs.shape[1] - 1]
        gradient = torch.autograd.grad([last], [added], grad_outputs=[torch.ones_like(last)])[0]
    return torch.linalg.vector_norm(gradient.transpose(0, 1), dim=2).sum(dim=1) / inputs.shape[0]
