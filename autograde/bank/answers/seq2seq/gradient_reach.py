# %% wrong: the gradient of all outputs
# Every output is summed, so each input affects its own output directly and the distance is lost. Only the LAST output
# shows how far back the gradient reaches.

# --- before
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
# --- after
    (gradient,) = torch.autograd.grad(outputs.sum(), inputs)

# %% wrong: batch and time are mixed up
# outputs[-1] is the last sentence of the batch, with all its steps. Batch first: the last step is outputs[:, -1].

# --- before
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
# --- after
    (gradient,) = torch.autograd.grad(outputs[-1].sum(), inputs)

# %% wrong: the norm runs over the batch
# The norm is taken over the sentences and the mean over the features. Take the norm over the features, then the mean
# over the sentences.

# --- before
    return gradient.norm(dim=2).mean(dim=0)  # (B, S, I) -> (S,)
# --- after
    return gradient.norm(dim=0).mean(dim=1)  # (B, S, I) -> (S,)

# %% wrong: outputs that come alone are indexed too
# Where the network returns its outputs alone, the first SENTENCE was taken for the outputs. Check whether a tuple came
# back.

# --- before
    outputs = outputs[0] if isinstance(outputs, tuple) else outputs
# --- after
    outputs = outputs[0]

# %% wrong: the caller's inputs are made to require gradients
# The numbers are right, but the inputs that you were given require gradients from now on. Work on a detached copy.

# --- before
    inputs = inputs.detach().clone().requires_grad_()
# --- after
    inputs = inputs.requires_grad_()

# %% wrong: backward, then every gradient wiped out
# Cleaning up after backward takes away gradients that stood there before the call as well. Ask autograd for the inputs'
# gradient alone, and there is nothing to clean up.

# --- before
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
# --- after
    outputs[:, -1].sum().backward()
    gradient = inputs.grad
    network.zero_grad()

# %% wrong: the last input comes first
# The order is reversed: entry 0 must be the first input's share, the one farthest from the end.

# --- before
    return gradient.norm(dim=2).mean(dim=0)  # (B, S, I) -> (S,)
# --- after
    return gradient.norm(dim=2).mean(dim=0).flip(0)  # (B, S, I) -> (S,)

# %% wrong: backward leaves gradients on the network
# The numbers are right, but the network's weights carry gradients afterwards, and the next training step would add to
# them. Ask autograd for the inputs' gradient alone.

# --- before
    (gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
# --- after
    outputs[:, -1].sum().backward()
    gradient = inputs.grad

# %% wrong: summed over the batch
# The sentences are added up, so a larger batch reaches farther. Average over them.

# --- before
    return gradient.norm(dim=2).mean(dim=0)  # (B, S, I) -> (S,)
# --- after
    return gradient.norm(dim=2).sum(dim=0)  # (B, S, I) -> (S,)

# %% correct: the root of the sum of squares
def gradient_reach(network, inputs):
    x = inputs.clone().detach()
    x.requires_grad = True
    out = network(x)
    if isinstance(out, tuple):
        out = out[0]
    g = torch.autograd.grad(out[:, -1, :].sum(), [x])[0]
    return (g ** 2).sum(-1).sqrt().mean(0)

# %% correct: the parameters' gradients put aside and back
def gradient_reach(network, inputs):
    x = inputs.detach().clone().requires_grad_(True)
    before = [None if p.grad is None else p.grad.clone() for p in network.parameters()]
    out = network(x)
    out = out[0] if isinstance(out, tuple) else out
    out[:, -1].sum().backward()
    for p, g in zip(network.parameters(), before):
        p.grad = g
    return torch.linalg.vector_norm(x.grad, dim=-1).mean(0)

# %% correct: ones as cotangents
def gradient_reach(network, inputs):
    x = torch.tensor(inputs.tolist(), requires_grad=True)
    out = network(x)
    last = (out[0] if type(out) is tuple else out).select(1, -1)
    (g,) = torch.autograd.grad(last, x, grad_outputs=torch.ones_like(last))
    return torch.stack([g[:, s].norm(dim=1).mean() for s in range(g.shape[1])])

# %% correct: a sentence at a time
def gradient_reach(network, inputs):
    total = torch.zeros(inputs.shape[1])
    for row in inputs.detach().split(1):
        row = row.clone().requires_grad_()
        out = network(row)
        out = out[0] if isinstance(out, tuple) else out
        total += torch.autograd.grad(out[0, -1].sum(), row)[0][0].norm(dim=1)
    return total / len(inputs)

# %% correct: backward to the inputs alone
def gradient_reach(network, inputs):
    x = inputs.detach().clone().requires_grad_()
    out = network(x)
    outputs = out[0] if isinstance(out, (tuple, list)) else out
    outputs[:, -1].sum().backward(inputs=[x])
    return torch.einsum("bsi,bsi->bs", x.grad, x.grad).sqrt().mean(dim=0)
