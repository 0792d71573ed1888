# %% wrong: the model's gradients wiped at the end
# backward() also fills the parameters' gradients, and zero_grad() at the end removes them with all that stood there before.
# Shows where a parameter has a gradient when the function is called: it is None afterwards.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    found = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    model.zero_grad()
    return found.detach(), torch.stack(losses)

# %% wrong: a new optimiser at every step
# Adam is made inside the loop, so its running means start afresh each time: every step is learning_rate long in each number.
# Shows for two steps or more: vector and later losses differ from those of one Adam.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    found = vector.detach().clone()
    losses = []
    for _ in range(steps):
        found = found.detach().requires_grad_()
        optimizer = torch.optim.Adam([found], lr=learning_rate)
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        (found.grad,) = torch.autograd.grad(loss, [found])
        optimizer.step()
        losses.append(loss.detach())
    return found.detach(), torch.stack(losses)

# %% wrong: put into eval mode and then into train mode
# The model is switched to eval for the search and to train at the end, whatever mode it was in.
# Shows for a model that came in eval mode, or with a submodule of its own mode: it goes back in train mode.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    model.eval()
    found = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        loss.backward(inputs=[found])
        optimizer.step()
        losses.append(loss.detach())
    model.train()
    return found.detach(), torch.stack(losses)

# %% wrong: cloned but not detached
# clone() of a vector that an encoder has just made stays in the encoder's graph and is no leaf.
# Shows for a vector that requires gradients (model.encode without no_grad): Adam raises ValueError.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.clone()
    fitted.requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
    return fitted.detach(), torch.stack(losses)

# %% correct: a closure that sends its gradient to the vector alone

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    point = nn.Parameter(vector.detach().clone(memory_format=torch.contiguous_format))
    search = torch.optim.Adam([point], lr=learning_rate)

    def closure() -> Tensor:
        search.zero_grad()
        loss = masked_cross_entropy(model.decode(point, targets), targets, pad_id)
        loss.backward(inputs=[point])
        return loss

    losses = vector.detach().new_zeros(steps)
    with torch.enable_grad():
        for s in range(steps):
            losses[s] = search.step(closure).detach()  # the loss at the point before the step
    return point.detach(), losses

# %% correct: the model's gradients put aside and laid back

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    aside = [(parameter, parameter.grad) for parameter in model.parameters()]
    for parameter, _ in aside:
        parameter.grad = None
    wanted = torch.empty_like(vector, requires_grad=True)
    with torch.no_grad():
        wanted.copy_(vector)
    optimizer = torch.optim.Adam([{"params": [wanted]}], lr=learning_rate)
    losses = []
    try:
        with torch.enable_grad():
            for _ in range(steps):
                loss = masked_cross_entropy(model.decode(wanted, targets), targets, pad_id)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                losses.append(loss.detach().reshape(1))
    finally:
        for parameter, gradient in aside:
            parameter.grad = gradient
    return wanted.detach(), torch.cat([wanted.detach().new_zeros(0), *losses])
