# %% wrong: backward reaches the weights
# loss.backward() adds a gradient to every parameter of the model, and they stay there: shows in the parameters'
# .grad after every call.

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
    return fitted.detach(), torch.stack(losses)


# %% wrong: detached, but not copied
# detach() shares its memory with the caller's vector, so Adam moves that one too: the vector is changed after
# every call.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimizer.step()
        losses.append(loss.item())
    return fitted.detach(), torch.tensor(losses, dtype=vector.dtype, device=vector.device)


# %% wrong: swept clean at the end
# model.zero_grad() takes its own gradients away, and with them those that stood in the model before: shows where a
# parameter had a gradient when it was called.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses[i] = loss.detach()
    model.zero_grad()
    return fitted.detach(), losses


# %% wrong: the vector's gradients pile up
# The model is spared by inputs=[fitted], but nothing clears fitted.grad, so from the second step on Adam sees the
# sum of all gradients so far: shows for steps >= 2 in the vector.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% correct: the weights' gradients put aside, and back again

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    aside = [(parameter, parameter.grad) for parameter in model.parameters()]
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []

    def measure() -> Tensor:
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        losses.append(loss.detach())
        return loss

    try:
        for parameter, _ in aside:
            parameter.grad = None
        for _ in range(steps):
            optimizer.step(measure)
    finally:
        for parameter, gradient in aside:
            parameter.grad = gradient
    return fitted.detach(), torch.stack(losses)


# %% correct: a parameter for each row

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    rows = [nn.Parameter(row.clone()) for row in vector.detach().unbind(0)]
    optimizer = torch.optim.Adam(({"params": [row]} for row in rows), lr=learning_rate)
    losses = torch.empty(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        loss = masked_cross_entropy(model.decode(torch.stack(rows), targets), targets, pad_id)
        for row, slope in zip(rows, torch.autograd.grad(loss, rows), strict=True):
            row.grad = slope
        losses[i] = loss.detach()
        optimizer.step()
    return torch.stack([row.detach() for row in rows]), losses
