# %% wrong: the root of the mean square
# Averages the squares over the batch and takes the root at the end: not the mean of the norms. Shows for B above 1,
# wherever the sentences' norms differ; for B = 1 it is right.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (slopes,) = torch.autograd.grad(outputs[:, -1].sum(), [x])
    return slopes.pow(2).sum(dim=2).mean(dim=0).sqrt()


# %% wrong: the first item, whatever it is
# Takes [0] of whatever the network returns. Shows for a module that returns the outputs alone: [0] is then the first
# sentence, and [:, -1] its last channel.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)[0]
    (slopes,) = torch.autograd.grad(outputs[:, -1].sum(), [x])
    return slopes.norm(dim=2).mean(dim=0)


# %% wrong: the last sentence for the last output
# outputs[-1] is the last sentence of the batch, at all its places, not the last place of every sentence. Shows for any
# input: the late places count too much, and every sentence but one counts nothing.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    (slopes,) = torch.autograd.grad(outputs[-1].sum(), [x])
    return slopes.norm(dim=2).mean(dim=0)


# %% wrong: clears up too much
# Uses backward, and clears the network's gradients afterwards. Shows where gradients stood on the parameters before:
# they are gone, where they are to stay.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    x = inputs.detach().clone().requires_grad_(True)
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    outputs[:, -1].sum().backward()
    network.zero_grad()
    return x.grad.norm(dim=2).mean(dim=0)


# %% correct: every input a leaf of its own

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    leaves = [inputs[:, s].detach().clone().requires_grad_(True) for s in range(inputs.shape[1])]
    answer = network(torch.stack(leaves, dim=1))
    outputs = answer if isinstance(answer, Tensor) else answer[0]
    slopes = torch.autograd.grad(outputs.select(1, -1).sum(), leaves)
    return torch.stack([slope.square().sum(dim=1).sqrt().mean() for slope in slopes])


# %% correct: the gradient as a function

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    def last_sum(x: Tensor) -> Tensor:
        answer = network(x)
        while not isinstance(answer, Tensor):
            answer = answer[0]
        return answer[:, -1].sum()

    slopes = torch.func.grad(last_sum)(inputs.detach())
    return torch.linalg.vector_norm(slopes, dim=2).mean(dim=0).detach()
