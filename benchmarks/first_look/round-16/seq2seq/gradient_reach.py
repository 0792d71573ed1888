# %% wrong: always takes item 0
# network(inputs)[0] is the outputs of a tuple, but of a plain tensor it is the first sentence: for a module that returns outputs
# (B, S, H) it measures the last number of sentence 0, without an error.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)[0]
    (slopes,) = torch.autograd.grad(outputs[:, -1].sum(), [x])
    return slopes.norm(dim=2).mean(dim=0)


# %% wrong: the root of the mean square over the batch
# Squares are averaged over the batch before the root is taken, so it is not the mean of the norms. Right for B = 1; too large
# where the sentences differ.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (slopes,) = torch.autograd.grad(outputs[:, -1].sum(), [x])
    return slopes.pow(2).sum(dim=-1).mean(dim=0).sqrt()


# %% wrong: given as a share of the nearest input
# Divides by the last entry, as the table below it does with the result. The docstring asks for the norm itself: the last entry is
# 1 in place of the norm for the last input.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    (slopes,) = torch.autograd.grad(outputs[:, -1].sum(), [x])
    reach = slopes.norm(dim=-1).mean(dim=0)
    return reach / reach[-1]


# %% wrong: backward, with the gradients cleared before and after
# zero_grad before and after leaves no gradient of its own, but takes away those that stood on the parameters before
# the call: "gradients that stand on its parameters stay".

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    network.zero_grad()
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=-1).mean(dim=0)


# %% correct: every input a leaf of its own

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        leaves = [x.detach().clone().requires_grad_() for x in inputs.unbind(dim=1)]
        outputs = network(torch.stack(leaves, dim=1))
        if not isinstance(outputs, Tensor):
            outputs = outputs[0]
        slopes = torch.autograd.grad(outputs[:, -1].sum(), leaves)
    return torch.stack([torch.linalg.vector_norm(g, dim=1).mean() for g in slopes])


# %% correct: a vector-Jacobian product, lengths from a product with itself

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    def last_output(x: Tensor) -> Tensor:
        outputs = network(x)
        return (outputs if isinstance(outputs, Tensor) else outputs[0])[:, -1].sum()

    with torch.enable_grad():
        _, slopes = torch.autograd.functional.vjp(last_output, inputs.detach())
    return torch.einsum("bsi,bsi->sb", slopes, slopes).sqrt().mean(dim=1)
