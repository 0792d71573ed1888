# %% wrong: kept within the reach of the tanh
# After every step the vector is clamped to -1 to 1, since an encoder can give no other. Nothing asks for that: wrong as soon as
# an entry goes beyond 1, e.g. a start at 0.99, or 300 steps of 0.05.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimizer.step()
        losses.append(loss.detach())
        with torch.no_grad():
            fitted.clamp_(-1.0, 1.0)
    return fitted.detach(), torch.stack(losses)


# %% wrong: the best vector in place of the last
# Returns the vector whose loss was lowest among those measured. The last step is always lost, because the vector after it is never
# measured: with steps = 1 the vector comes back unmoved.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        if not losses or loss < min(losses):
            best = fitted.detach().clone()
        losses.append(loss.detach())
        optimizer.step()
    return best, torch.stack(losses)


# %% wrong: cleared the gradients behind itself
# Calls backward, which adds to the gradients of all parameters, and clears them at the end. Gradients that stood there before are
# taken away: wrong where training was between backward and step.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
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


# %% wrong: stops when the sentence is found
# Leaves the loop once all real tokens are the most likely ones. Then fewer than `steps` losses come back, and the vector
# has taken fewer steps: wrong where the start is already right, or the search succeeds early.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses, real = [], targets != pad_id
    for _ in range(steps):
        logits = model.decode(fitted, targets)
        loss = masked_cross_entropy(logits, targets, pad_id)
        losses.append(loss.detach())
        if (logits.argmax(dim=2) == targets)[real].all():
            break
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimizer.step()
    return fitted.detach(), torch.stack(losses)


# %% correct: a deep copy of the model is frozen

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    from copy import deepcopy

    frozen = deepcopy(model)
    for parameter in frozen.parameters():
        parameter.requires_grad = False
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps, dtype=vector.dtype, device=vector.device)
    with torch.enable_grad():
        for i in range(steps):
            optimizer.zero_grad()
            loss = masked_cross_entropy(frozen.decode(fitted, targets), targets, pad_id)
            loss.backward()
            optimizer.step()
            losses[i] = loss.item()
    return fitted.detach(), losses


# %% correct: backward only into the vector, by a closure

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    with torch.enable_grad():
        fitted = torch.empty_like(vector, requires_grad=True)
        fitted.data.copy_(vector.data)
        adam, losses = torch.optim.Adam([fitted], lr=learning_rate), []

        def closure() -> Tensor:
            adam.zero_grad()
            loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
            loss.backward(inputs=[fitted])
            return loss.detach()

        while len(losses) < steps:
            losses.append(adam.step(closure))
    return fitted.detach(), torch.stack(losses)
