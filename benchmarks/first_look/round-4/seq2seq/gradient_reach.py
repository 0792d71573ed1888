# %% wrong: averaged over the batch before the norm is taken
# The gradients of the sentences are averaged as vectors, so opposite ones cancel, and the norm of the mean comes out in
# place of the mean of the norms.
# Hint: take two sentences whose gradients are g and -g; how strongly does each output feel its input, and what do you get?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=-1)


# %% wrong: the last sentence instead of the last step
# `outputs[-1]` is the last step where time comes first; here the batch comes first, so it takes all steps of the last
# sentence, and the other sentences enter the mean with zeros.
# Hint: say the shape of outputs, and which of its axes a single index in front removes.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    result = network(x)
    outputs = result[0] if isinstance(result, tuple) else result
    gradient = torch.autograd.grad(outputs[-1].sum(), x)[0]
    return gradient.norm(dim=2).mean(dim=0)


# %% wrong: gradients are left on the network
# backward() fills the .grad of every weight on its way to the inputs, or adds to what stands there; the next training
# step would use it.
# Hint: look at the gradients of the network's parameters before and after; which function returns gradients instead?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.clone().detach()
    x.requires_grad = True
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    outputs[:, -1].sum().backward()
    return x.grad.norm(dim=2).mean(dim=0)


# %% wrong: divided so that the shares sum to one
# It takes "share" for a part of a whole and divides by the sum over all places; asked are the norms themselves, and
# whether the gradient as a whole is large or small is lost.
# Hint: read the sentence that begins with "Entry s is"; is there a division by the other entries in it?

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    (gradient,) = torch.autograd.grad(outputs[:, -1, :].sum(), x)
    reach = gradient.norm(dim=2).mean(dim=0)
    return reach / reach.sum()


# %% wrong: the caller's inputs are made to require gradients
# The numbers are right, but requires_grad_ works on the very tensor that was handed in, and it still requires gradients
# afterwards.
# Hint: print inputs.requires_grad after the call.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    inputs.requires_grad_()
    outputs = network(inputs)
    if isinstance(outputs, tuple):
        outputs, *_ = outputs
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
    return torch.linalg.vector_norm(gradient, dim=-1).mean(dim=0)


# %% correct: a vector-Jacobian product of a function of the inputs

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    def last_output(x: Tensor) -> Tensor:
        outputs = network(x)
        while isinstance(outputs, tuple):
            outputs = outputs[0]
        return outputs[:, -1].sum()

    _, felt = torch.autograd.functional.vjp(last_output, inputs.detach().clone())
    return torch.linalg.vector_norm(felt, ord=2, dim=2).mean(dim=0)


# %% correct: one leaf for each place and a loop over them

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    with torch.enable_grad():
        places = [x.detach().clone().requires_grad_() for x in inputs.unbind(dim=1)]  # S times (B, I)
        answer = network(torch.stack(places, dim=1))
        outputs = answer[0] if isinstance(answer, tuple) else answer
        last = outputs.select(1, outputs.shape[1] - 1)
        gradients = torch.autograd.grad(last, places, grad_outputs=torch.ones_like(last))
    reach = [sum(row.norm() for row in gradient) / len(gradient) for gradient in gradients]
    return torch.stack(reach)
