# %% wrong: the model's gradients are cleared at the end
# backward() adds to the gradients of the weights, and zero_grad() afterwards removes that, and with it every gradient
# that stood there before.
# Hint: put gradients on the model's parameters before the call and look at them after it.

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
        losses.append(loss.item())
    model.zero_grad()
    return fitted.detach(), torch.tensor(losses)


# %% wrong: the model is frozen and stays so
# Freezing keeps gradients off the weights, but the parameters no longer require gradients afterwards: training that
# goes on would not move them.
# Hint: after the call, print requires_grad of each parameter.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    for parameter in model.parameters():
        parameter.requires_grad = False
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% wrong: the caller's vector itself is moved
# detach() shares the memory of the vector, so Adam's steps, which are taken in place, change what the caller holds.
# Hint: keep a copy of the vector before the call and compare; which method makes new memory?

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimizer.step()
        losses.append(loss.item())
    return fitted.detach(), torch.tensor(losses)


# %% wrong: the losses are measured after their steps
# The search is right, but each loss is that of the vector already moved: the first one, that of the caller's vector, is
# missing.
# Hint: with one step, which vector should losses[0] belong to?

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    def loss_at(candidate: Tensor) -> Tensor:
        return masked_cross_entropy(model.decode(candidate, targets), targets, pad_id)

    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        fitted.grad = torch.autograd.grad(loss_at(fitted), fitted)[0]
        optimizer.step()
        with torch.no_grad():
            losses.append(loss_at(fitted).item())
    return fitted.detach(), torch.tensor(losses)


# %% wrong: gradients on the vector add up
# The model is frozen and released as it should be, but the vector's own gradient is never cleared, so Adam is given the
# sum of all gradients so far.
# Hint: which section of chapter 00 says what backward does with a gradient that is already there?

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    required = [parameter.requires_grad for parameter in model.parameters()]
    model.requires_grad_(False)
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    for parameter, flag in zip(model.parameters(), required, strict=True):
        parameter.requires_grad_(flag)
    return fitted.detach(), torch.tensor(losses)


# %% correct: backward for the vector as its only input

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    found = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    losses = torch.zeros(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        with torch.enable_grad():
            loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward(inputs=[found])  # adds nothing to the gradients of the weights
        optimizer.step()
        losses[i] = loss.detach()
    return found.detach(), losses


# %% correct: a closure for Adam that asks for one gradient

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    guess = torch.empty_like(vector).copy_(vector.detach()).requires_grad_()
    history = []

    def measure() -> Tensor:
        loss = masked_cross_entropy(model.decode(guess, targets), targets, pad_id)
        guess.grad = torch.autograd.grad(outputs=loss, inputs=guess)[0]
        history.append(loss.item())
        return loss

    adam = torch.optim.Adam(params=[guess], lr=learning_rate)
    while len(history) < steps:
        adam.step(measure)
    return guess.detach(), vector.new_tensor(history)
