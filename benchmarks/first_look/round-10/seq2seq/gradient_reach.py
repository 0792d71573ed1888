# %% wrong: the batch is averaged before the norm
# The norm of the mean gradient, where the mean of the norms is asked: gradients of different sentences cancel.
# Shows for B above 1; for one sentence the two are the same.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=1)


# %% wrong: the first item of a tensor
# network(x)[0] is right for nn.GRU, which gives a tuple; of a network that gives the outputs themselves it takes the
# first sentence, and [:, -1] then is its last feature at all places. Shows for a module that returns a tensor.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: the gradient is left on the caller's inputs
# requires_grad is put back, but inputs.grad stays, and the next call adds to it: the same arguments give twice the
# result the second time, and the inputs are not as they were. Shows on the second call with the same tensor.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    outputs = network(inputs)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward(inputs=[inputs])
    reach = inputs.grad.norm(dim=2).mean(dim=0)
    inputs.requires_grad_(False)
    return reach


# %% wrong: the parameters' gradients cleared away
# backward() fills the parameters' gradients and zero_grad() removes them, those that stood there before as well:
# they must stay. Shows for a network that has gradients when the call is made.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()  # none of ours stays behind
    return x.grad.norm(dim=2).mean(dim=0)


# %% correct: a leaf for every place

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        places = [x.detach().clone().requires_grad_() for x in inputs.unbind(dim=1)]  # S times (B, I)
        result = network(torch.stack(places, dim=1))
        outputs = result[0] if isinstance(result, tuple) else result
        gradients = torch.autograd.grad(outputs[:, -1].sum(), places)
    return torch.stack([gradient.square().sum(dim=1).sqrt().mean() for gradient in gradients])


# %% correct: a probe of zeros added to the inputs, backward into it alone

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    probe = torch.zeros_like(inputs, requires_grad=True)
    with torch.enable_grad():
        outputs = network(inputs.detach() + probe)
        if not torch.is_tensor(outputs):
            outputs, *_ = outputs
        last = outputs.select(1, outputs.shape[1] - 1)
    last.backward(torch.ones_like(last), inputs=[probe])
    return torch.linalg.vector_norm(probe.grad, dim=-1).sum(dim=0) / len(inputs)
