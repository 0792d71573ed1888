# %% wrong: the first item of whatever comes back
# network(x)[0] is right for a tuple; of a plain tensor it is the first sentence, and [:, -1] then its last feature.
# Shows for a network that returns outputs (B, S, H) alone.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)[0]
    last = outputs[:, -1].sum()
    (gradient,) = torch.autograd.grad(last, x)
    return gradient.norm(dim=-1).mean(dim=0)

# %% wrong: the root of the mean square over the batch
# Averages the squares over the batch and takes the root afterwards, which is not the mean of the norms.
# Shows for a batch of two or more whose norms differ; for one sentence it is right.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.pow(2).sum(dim=2).mean(dim=0).sqrt()

# %% wrong: requires_grad taken back, the gradient left
# The caller's own inputs are used; the flag is taken back at the end, but inputs.grad stays and is added to next time.
# Shows at the second call with the same inputs: twice the values of the first.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_(True)
    outputs = network(inputs)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward(inputs=[inputs])
    reach = inputs.grad.norm(dim=2).mean(dim=0)
    inputs.requires_grad_(False)
    return reach

# %% wrong: the network's gradients cleared away
# backward() puts gradients on the parameters, and zero_grad() clears them together with those that stood there before.
# Shows for a network whose parameters have gradients when the function is called: they are gone.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone()
    x.requires_grad = True
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    network.zero_grad()
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=-1).mean(dim=0)

# %% correct: one leaf for each place

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    places = [x.clone().requires_grad_() for x in inputs.detach().unbind(dim=1)]  # S times (B, I)
    with torch.enable_grad():
        answer = network(torch.stack(places, dim=1))
        outputs = answer[0] if isinstance(answer, tuple) else answer
        gradients = torch.autograd.grad(outputs.select(1, -1).sum(), places)
    return torch.stack([torch.linalg.vector_norm(g, dim=1).mean() for g in gradients])

# %% correct: a vector-Jacobian product of the summed output

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    def last_output(x: Tensor) -> Tensor:
        answer = network(x)
        while isinstance(answer, (tuple, list)):
            answer = answer[0]
        return answer[:, answer.shape[1] - 1].sum()

    _, gradient = torch.autograd.functional.vjp(last_output, inputs.detach())
    lengths = torch.einsum("bsi,bsi->sb", gradient, gradient).sqrt()
    return lengths.sum(dim=1) / len(inputs)
