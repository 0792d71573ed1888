# %% wrong: a copy that is still attached
# clone() keeps the record, so where `vector` comes out of an encoder the copy is no leaf, and Adam refuses it with a
# ValueError. A vector made by torch.randn works.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    free = vector.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([free], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(free, targets), targets, pad_id)
        losses.append(loss.detach())
        (free.grad,) = torch.autograd.grad(loss, [free])
        optimizer.step()
    return free.detach(), torch.stack(losses)


# %% wrong: wipes the model's gradients away
# backward fills the model's gradients too, and model.zero_grad() at the end clears them. Shows where gradients stood in
# the model before: they are gone, where none may be taken away.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    free = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([free], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(free, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    model.zero_grad()
    return free.detach(), torch.stack(losses)


# %% wrong: a new Adam for every step
# Makes the optimizer inside the loop, so Adam forgets its sums and each step has the length of the learning rate in
# every entry. Shows from the second step on.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    free = vector.detach().clone().requires_grad_(True)
    losses = []
    for _ in range(steps):
        optimizer = torch.optim.Adam([free], lr=learning_rate)
        loss = masked_cross_entropy(model.decode(free, targets), targets, pad_id)
        losses.append(loss.detach())
        (free.grad,) = torch.autograd.grad(loss, [free])
        optimizer.step()
    return free.detach(), torch.stack(losses)


# %% wrong: the best vector seen
# Returns the vector whose measured loss was lowest, which is never the one after the last step. Shows for any run: with
# one step the start comes back, and a falling loss lags a step behind.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    free = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([free], lr=learning_rate)
    losses, best, lowest = [], free.detach().clone(), math.inf
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(free, targets), targets, pad_id)
        losses.append(loss.detach())
        if loss.item() < lowest:
            best, lowest = free.detach().clone(), loss.item()
        (free.grad,) = torch.autograd.grad(loss, [free])
        optimizer.step()
    return best, torch.stack(losses)


# %% correct: the loss as a function of the vector

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    def loss_at(candidate: Tensor) -> Tensor:
        return masked_cross_entropy(model.decode(candidate, targets), targets, pad_id)

    slope_and_loss = torch.func.grad_and_value(loss_at)
    fitted = vector.detach().clone()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.empty(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        slope, loss = slope_and_loss(fitted)
        fitted.grad = slope.detach()  # the weights of the model have a record of their own
        losses[i] = loss.detach()
        optimizer.step()
    return fitted, losses


# %% correct: a closure, and backward to the vector alone

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    free = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([free], lr=learning_rate)

    def measure() -> Tensor:
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(free, targets), targets, pad_id)
        loss.backward(inputs=[free])  # nothing is added to the model's own gradients
        return loss.detach()

    losses = torch.stack([optimizer.step(measure) for _ in range(steps)])
    return free.detach(), losses
