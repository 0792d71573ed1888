# %% wrong: the mean before the norm
# Gradients of different sentences cancel in the mean: the norm comes first, for each sentence. Wrong for every B above 1,
# right for one sentence.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)  # (B, S, I)
    return gradient.mean(dim=0).norm(dim=-1)

# %% wrong: the caller's inputs go on requiring gradients
# requires_grad_ acts on the caller's own tensor, and nobody takes it back: after any call inputs.requires_grad is True.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_()
    outputs = network(inputs)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    gradient = torch.autograd.grad(outputs[:, -1].sum(), inputs)[0]
    return gradient.norm(dim=2).mean(dim=0)

# %% wrong: standing gradients cleared with the new ones
# backward adds to the parameters' .grad, and zero_grad then removes all of it: gradients that stood on the network before the
# call are gone.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.clone().detach().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=-1).mean(dim=0)

# %% wrong: every network taken to return a pair
# A network that returns outputs alone is unpacked along its batch: B = 2 takes the first sentence's (S, H) for the outputs and
# is wrong without a word, any other B raises.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs, _ = network(x)
    gradient = torch.autograd.grad(outputs[:, -1].sum(), x)[0]
    return gradient.norm(dim=-1).mean(dim=0)

# %% correct: each step's input a leaf of its own

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        leaves = [x.detach().clone().requires_grad_() for x in inputs.unbind(dim=1)]  # S times (B, I)
        outputs = network(torch.stack(leaves, dim=1))
        if not isinstance(outputs, Tensor):
            outputs, *_ = outputs
        slopes = torch.autograd.grad(outputs[:, -1].sum(), leaves, materialize_grads=True)
    return torch.stack([slope.square().sum(dim=1).sqrt().mean() for slope in slopes])

# %% correct: a nudge of zero, and a backward that ends there

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    nudge = torch.zeros_like(inputs, requires_grad=True)
    result = network(inputs.detach() + nudge)
    last = (result if torch.is_tensor(result) else result[0]).select(1, -1)
    last.backward(gradient=torch.ones_like(last), inputs=[nudge])
    lengths_of = torch.linalg.vector_norm(nudge.grad, dim=2)  # (B, S)
    return torch.einsum("bs->s", lengths_of) / len(lengths_of)
