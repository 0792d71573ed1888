# %% wrong: detach without a copy
# vector.detach() shares its memory with the caller's vector, and Adam writes into it: `vector` must not be changed.
# The result is right; shows in the caller's vector after any call, and in a second call with it.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        (fitted.grad,) = torch.autograd.grad(loss, fitted)
        optimizer.step()
    return fitted.detach(), torch.stack(losses)


# %% wrong: the model's gradients cleared away
# backward() reaches the weights too, and zero_grad() cleans up behind it, along with the gradients that stood there
# before: none may be taken away. Shows where a parameter has a gradient when the search begins.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    model.zero_grad()
    return fitted.detach(), torch.stack(losses)


# %% wrong: always back to training mode
# The mode is set to eval for the search and to train behind it, whatever it was before; it must come back as it was.
# Shows for a model that comes in eval mode (and with dropout for one in training: the losses are not that mode's).

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    model.eval()
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        (fitted.grad,) = torch.autograd.grad(loss, fitted)
        optimizer.step()
    model.train()
    return fitted.detach(), torch.stack(losses)


# %% wrong: the best of the vectors that were measured
# The vector of the lowest loss comes back. Losses are measured before a step, so the vector after the last step is never
# the one; after `steps` steps of Adam it is the fitted one. For steps = 1 the start itself comes back.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses, best, lowest = [], fitted.detach().clone(), math.inf
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        if loss.item() < lowest:
            lowest, best = loss.item(), fitted.detach().clone()
        (fitted.grad,) = torch.autograd.grad(loss, fitted)
        optimizer.step()
    return best, torch.stack(losses)


# %% correct: backward into the vector alone

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    parameter = nn.Parameter(torch.empty_like(vector, memory_format=torch.contiguous_format))
    parameter.data.copy_(vector)
    adam = torch.optim.Adam(params=[parameter], lr=learning_rate)
    losses = vector.new_zeros(steps)
    for i in range(steps):
        adam.zero_grad(set_to_none=True)
        with torch.enable_grad():
            loss = masked_cross_entropy(model.decode(parameter, targets), targets, pad_id)
        loss.backward(inputs=[parameter])
        losses[i] = loss.detach()
        adam.step()
    return parameter.detach(), losses


# %% correct: Adam written out

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    beta1, beta2, eps = 0.9, 0.999, 1e-8
    current = vector.detach().clone()
    mean, square = torch.zeros_like(current), torch.zeros_like(current)
    losses = []
    for i in range(1, steps + 1):
        with torch.enable_grad():
            probe = current.clone().requires_grad_()
            loss = masked_cross_entropy(model.decode(probe, targets), targets, pad_id)
        (gradient,) = torch.autograd.grad(loss, [probe])
        losses.append(loss.detach())
        mean = beta1 * mean + (1 - beta1) * gradient
        square = beta2 * square + (1 - beta2) * gradient**2
        size = (square / (1 - beta2**i)).sqrt() + eps
        current = current - learning_rate * (mean / (1 - beta1**i)) / size
    return current, torch.stack(losses)
