# %% wrong: gradients left on the model
# Only the vector is in the optimiser, but loss.backward() adds to every parameter's gradient too.
# Shows in model.parameters(): .grad after the call is not what it was.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimiser = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return fitted.detach(), torch.stack(losses)


# %% wrong: gradients cleared away with zero_grad
# Tidies up with model.zero_grad(), which also takes away the gradients that stood there before the call.
# Shows for a model that has gradients, as between backward and step of a training.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimiser = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    model.zero_grad()
    return fitted.detach(), torch.stack(losses)


# %% wrong: detach without clone
# vector.detach() shares its memory with the caller's vector, and Adam's steps in place change both.
# Shows in the caller's vector after one step or more.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_()
    optimiser = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimiser.step()
        losses[i] = loss.detach()
    return fitted.detach(), losses


# %% wrong: the vector's own gradient never cleared
# backward(inputs=[fitted]) leaves the model alone, but adds up in fitted.grad, which nobody sets to zero:
# from the second step on these are not Adam's steps on the loss. Right for steps = 1.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimiser = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        loss.backward(inputs=[fitted])
        optimiser.step()
    return fitted.detach(), torch.stack(losses)


# %% correct: plain backward, the model's gradients laid aside and laid back

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    aside = [(parameter, parameter.grad) for parameter in model.parameters()]
    fitted = torch.empty_like(vector).copy_(vector.detach()).detach().requires_grad_()
    losses = torch.empty(steps, dtype=vector.dtype, device=vector.device)
    optimiser = torch.optim.Adam([fitted], lr=learning_rate)
    try:
        for parameter, _ in aside:
            parameter.grad = None
        with torch.enable_grad():
            for i in range(steps):
                loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
                losses[i] = loss.detach()
                fitted.grad = None
                loss.backward()
                for parameter, _ in aside:
                    parameter.grad = None
                optimiser.step()
    finally:
        for parameter, grad in aside:
            parameter.grad = grad
    return fitted.detach(), losses


# %% correct: Adam's closure, with the gradient of the vector alone

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone(), requires_grad=True)
    optimiser = torch.optim.Adam([fitted], lr=learning_rate)

    def closure() -> Tensor:
        with torch.enable_grad():
            loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
            fitted.grad = torch.autograd.grad(loss, fitted)[0]
        return loss.detach()

    losses = [vector.detach().new_zeros(1)[:0]]
    losses += [optimiser.step(closure).reshape(1) for _ in range(steps)]
    return fitted.detach().clone(), torch.cat(losses)
