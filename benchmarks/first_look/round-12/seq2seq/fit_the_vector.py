# %% wrong: detached, but the same memory
# detach() shares its numbers with the vector it came from, and Adam moves them in place: the caller's vector changes.
# Shows in vector after every call.

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
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)

# %% wrong: the model's gradients cleared away at the end
# backward() adds to the gradients of the parameters, and zero_grad() then removes those that stood there before, too.
# Shows where the parameters hold gradients before the call.

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

# %% wrong: a clone with a past
# clone() keeps the record: a vector straight out of an encoder gives a tensor that is no leaf, which Adam refuses.
# Shows where vector has a grad_fn.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)

# %% wrong: the weights frozen for good
# The parameters are told not to require gradients, so that none are added, and are never told otherwise again.
# Shows in requires_grad of every parameter after the call.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    model.requires_grad_(False)
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)

# %% correct: backward for the vector alone

# backward(inputs=...) puts a gradient nowhere else; the losses go straight into their tensor.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    losses = vector.new_empty(steps, requires_grad=False)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        return loss

    for n in range(steps):
        losses[n] = optimizer.step(closure).detach()
    return fitted.detach(), losses

# %% correct: Adam written out

# No optimizer: the two fading means of Adam, corrected for their start from zero, and slopes from autograd.grad.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    at = vector.detach().clone()
    mean, square = torch.zeros_like(at), torch.zeros_like(at)
    losses = []
    for n in range(1, steps + 1):
        at.requires_grad_()
        loss = masked_cross_entropy(model.decode(at, targets), targets, pad_id)
        (slope,) = torch.autograd.grad(loss, at)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        size = (square / (1 - 0.999**n)).sqrt() + 1e-8
        at = at.detach() - learning_rate / (1 - 0.9**n) * mean / size
        losses.append(loss.detach())
    return at, torch.stack(losses)
