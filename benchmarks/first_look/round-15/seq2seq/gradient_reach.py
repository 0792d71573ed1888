# %% wrong: item 0 is taken whatever the network returns
# Right for a tuple. A network that returns a plain tensor loses all sentences but the first: [0] is (S, H), and [:, -1] the
# last number of each state.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: the mean of the squares is taken before the root
# A root mean square over the batch in place of the mean of the norms. Right for B = 1, too large wherever the sentences'
# norms differ.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.square().sum(dim=2).mean(dim=0).sqrt()


# %% wrong: the parameters' gradients are cleared away
# backward leaves gradients on the network, and zero_grad removes them with those that stood there before: a network that
# comes with gradients loses them.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=2).mean(dim=0)


# %% wrong: the network is frozen for the measurement and stays frozen
# No gradient is added, but requires_grad is False on every parameter afterwards: the network is not left as it was.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    network.requires_grad_(False)
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    outputs[:, -1].sum().backward()
    return x.grad.norm(dim=-1).mean(dim=0)


# %% correct: the Jacobian of a function of the inputs alone

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    def last(x: Tensor) -> Tensor:
        outputs = network(x)
        if not isinstance(outputs, Tensor):
            outputs = outputs[0]
        return outputs[:, -1].sum()

    slopes = torch.autograd.functional.jacobian(last, inputs.detach().clone())  # (B, S, I)
    return torch.einsum("bsi,bsi->bs", slopes, slopes).sqrt().mean(dim=0)


# %% correct: one leaf for each place, and a backward that reaches only those

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        places = [x.clone().requires_grad_() for x in inputs.detach().unbind(dim=1)]  # S times (B, I)
        match network(torch.stack(places, dim=1)):
            case (outputs, *_):
                pass
            case outputs:
                pass
        outputs[:, -1].sum().backward(inputs=places)
    norms = [torch.linalg.vector_norm(x.grad, dim=1) for x in places]
    return torch.stack([norm.sum() / len(norm) for norm in norms])
