# %% wrong: the gradients put aside are the same tensors
# The parameters' gradients are remembered and put back, but not copied, and backward adds to them in place. Shows where the model's
# parameters hold gradients before the call: they are changed afterwards.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    kept = [parameter.grad for parameter in model.parameters()]
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    for parameter, gradient in zip(model.parameters(), kept):
        parameter.grad = gradient
    return fitted.detach(), torch.stack(losses)

# %% wrong: the best vector, not the last
# Keeps the vector with the lowest loss, which is one from before a step. Shows for every call: after the last step no loss is measured, so it
# can never be the vector that is returned (with steps=1 the vector comes back unchanged).

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    best, lowest, losses = fitted.detach().clone(), math.inf, []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        if loss.item() < lowest:
            best, lowest = fitted.detach().clone(), loss.item()
        losses.append(loss.detach())
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimizer.step()
    return best, torch.stack(losses)

# %% wrong: a clone that still hangs on the encoder
# clone without detach: a vector that comes out of an encoder stays part of its graph, and Adam refuses what is no leaf. Right for a plain
# tensor; shows for a vector with a computation graph (ValueError).

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.detach())
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
    return fitted.detach(), torch.stack(losses)

# %% wrong: a new optimizer for every step
# Adam is made inside the loop, so it forgets its averages, and every step is the learning rate times the sign of the gradient. Shows for steps
# of 2 or more.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted, losses = vector.detach().clone(), []
    for _ in range(steps):
        fitted = fitted.detach().requires_grad_()
        optimizer = torch.optim.Adam([fitted], lr=learning_rate)
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)

# %% correct: Adam written out

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone()
    mean, square = torch.zeros_like(fitted), torch.zeros_like(fitted)
    losses = fitted.new_empty(steps)
    for t in range(1, steps + 1):
        with torch.enable_grad():
            leaf = fitted.clone().requires_grad_()
            loss = masked_cross_entropy(model.decode(leaf, targets), targets, pad_id)
            (slope,) = torch.autograd.grad(loss, leaf)
        losses[t - 1] = loss.detach()
        mean = 0.9 * mean + (1 - 0.9) * slope
        square = 0.999 * square + (1 - 0.999) * slope**2
        fitted = fitted - learning_rate * (mean / (1 - 0.9**t)) / ((square / (1 - 0.999**t)).sqrt() + 1e-8)
    return fitted, losses

# %% correct: backward for one input only, in a closure

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    moving = nn.Parameter(vector.detach().clone(memory_format=torch.contiguous_format))
    optimizer = torch.optim.Adam([moving], lr=learning_rate)

    def closure():
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(moving, targets), targets, pad_id)
        loss.backward(inputs=[moving])  # no other leaf gets a gradient
        return loss.detach()

    losses = torch.stack([optimizer.step(closure) for _ in range(steps)])
    return moving.detach(), losses
