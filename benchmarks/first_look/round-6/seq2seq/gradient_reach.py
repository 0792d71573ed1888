# %% wrong: averaged over the batch before the norm
# The gradients of different sentences are averaged first and may cancel; asked is the mean of the norms, not the norm of the mean.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    x = inputs.detach().clone().requires_grad_()
    outputs = network(x)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    return gradient.mean(dim=0).norm(dim=-1)


# %% wrong: every network is taken to return a tuple
# network(x)[0] is right for torch.nn.GRU; where the network returns the outputs themselves it is the first sentence, and the rest goes wrong.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    x = inputs.clone().detach().requires_grad_(True)
    outputs = network(x)[0]
    last = outputs[..., -1, :]
    grad = torch.autograd.grad(last.sum(), x)[0]  # (B, S, I)
    return grad.norm(dim=2).mean(dim=0)


# %% wrong: the gradient stays on the inputs
# The caller's tensor itself is used: its grad stays behind, and a second call with the same inputs adds to it and gives twice as much.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    inputs.requires_grad_(True)
    outputs = network(inputs)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    outputs[:, -1].sum().backward(inputs=[inputs])
    inputs.requires_grad_(False)
    return inputs.grad.norm(dim=-1).mean(dim=0)


# %% wrong: shares that sum to one
# The word share is taken literally and the result divided by its sum; asked are the norms themselves.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    x = inputs.detach().clone()
    x.requires_grad = True
    outputs = network(x)
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
    grad = torch.autograd.grad(outputs[:, -1].sum(), x)[0]
    strength = torch.linalg.vector_norm(grad, dim=2).mean(dim=0)
    return strength / strength.sum()


# %% wrong: the network is tidied up with zero_grad
# backward also reaches the parameters, and zero_grad afterwards removes gradients that stood there before the call.

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    leaf = inputs.detach().clone().requires_grad_()
    result = network(leaf)
    outputs = result[0] if isinstance(result, tuple) else result
    outputs[:, -1, :].sum().backward()
    network.zero_grad()
    return leaf.grad.pow(2).sum(-1).sqrt().mean(0)


# %% correct: a vector-jacobian product

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    def last_output(x: Tensor) -> Tensor:
        result = network(x)
        while isinstance(result, tuple):
            result = result[0]
        return result.select(1, -1).sum()

    with torch.enable_grad():
        _, sensitivity = torch.autograd.functional.vjp(last_output, inputs.detach().clone())
    return torch.linalg.vector_norm(sensitivity, dim=-1).mean(dim=0)


# %% correct: backward into one leaf, norms by einsum

def gradient_reach(network: nn.Module, inputs: Tensor) -> Tensor:
    """How strongly the last output still feels each input: (S,), the first input's share first.

    network: a module that maps inputs (B, S, I) to outputs (B, S, H), or to a tuple whose first
    item is outputs (as `torch.nn.RNN`, `GRU` and `LSTM` do with batch_first=True). Entry s is
    the norm over I of the gradient of outputs[:, -1].sum() with respect to inputs[:, s],
    averaged over the batch.
    The caller's inputs are left as they were, and do not require gradients afterwards. So is
    the network: gradients that stand on its parameters stay, and none is added.
    """
    leaf = torch.empty_like(inputs).copy_(inputs.detach()).requires_grad_()
    with torch.enable_grad():
        result = network(leaf)
        outputs = result if torch.is_tensor(result) else result[0]
        final = outputs[:, outputs.shape[1] - 1]
        final.backward(torch.ones_like(final), inputs=[leaf])
    squares = torch.einsum("bsi,bsi->sb", leaf.grad, leaf.grad)
    return squares.sqrt().sum(dim=1) / leaf.shape[0]
