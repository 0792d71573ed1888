# %% wrong: detached, but not copied
# detach shares the memory, and Adam steps in place: the caller's vector is the fitted one afterwards.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, fitted)
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% wrong: frozen, and never thawed
# requires_grad_(False) keeps gradients off the model, but no line sets it back: after the call no parameter requires its
# gradient, and training cannot go on.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    for parameter in model.parameters():
        parameter.requires_grad_(False)
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


# %% wrong: the model's gradients are wiped at the end
# backward adds to the parameters' gradients, and zero_grad takes away what it added together with what stood there before.
# It shows for a model that comes with gradients.

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


# %% wrong: the vector's gradient is cleared once, before the loop
# From the second step on Adam gets the sum of all gradients so far: another path as soon as steps is 2 or more.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    optimizer.zero_grad()
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        losses.append(loss.detach())
        optimizer.step()
    return fitted.detach(), torch.stack(losses)


# %% correct: backward is told where to stop

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimizer, losses = torch.optim.Adam([fitted], lr=learning_rate), vector.new_empty(steps)
    for i in range(steps):
        fitted.grad = None
        with torch.enable_grad():
            loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        losses[i] = loss.item()
        optimizer.step()
    return fitted.data, losses


# %% correct: a closure that asks for one gradient

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = torch.empty_like(vector, memory_format=torch.contiguous_format).copy_(vector.detach()).requires_grad_(True)
    optimizer = torch.optim.Adam((fitted,), lr=learning_rate)

    def look() -> Tensor:
        cost = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        fitted.grad = torch.autograd.grad(cost, [fitted])[0]
        return cost.detach()

    history = [optimizer.step(look) for _ in range(steps)]
    return fitted.detach(), torch.stack(history)
