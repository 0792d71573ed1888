# %% wrong: gradients wiped away at the end
# backward adds gradients to the weights, and zero_grad then takes away everything, also gradients that stood there before the call.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    found = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.zero_grad()
    return found.detach(), torch.tensor(losses)


# %% wrong: the fitted vector shares memory with the given one
# detach() makes no copy: Adam's steps are taken in place, so the caller's vector moves along.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    found = vector.detach().requires_grad_()
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    losses = torch.zeros(steps)
    for t in range(steps):
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        losses[t] = loss.detach()
        (found.grad,) = torch.autograd.grad(loss, found)
        optimizer.step()
    return found.detach(), losses


# %% wrong: a new optimiser at every step
# Adam is built inside the loop and forgets its averages each time: every step is the learning rate times the gradient's sign.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    found = vector.detach().clone()
    losses = []
    for _ in range(steps):
        found = found.detach().requires_grad_()
        optimizer = torch.optim.Adam([found], lr=learning_rate)
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        found.grad = torch.autograd.grad(loss, found)[0]
        optimizer.step()
        losses.append(loss.detach())
    return found.detach(), torch.stack(losses)


# %% wrong: the search gives up when nothing moves
# It stops early once the loss hardly falls any more: fewer than the asked steps are taken and losses is shorter than (steps,).

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    found = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
        losses.append(loss.item())
        if len(losses) > 1 and losses[-2] - losses[-1] < 1e-3:
            break
        found.grad = torch.autograd.grad(loss, [found])[0]
        optimizer.step()
    return found.data, torch.tensor(losses)


# %% wrong: evaluation during the search, training mode after it
# The model is set to eval() and at the end to train() whatever it was before: a model that came in evaluation mode goes back in training mode.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    model.eval()
    for p in model.parameters():
        p.requires_grad_(False)
    x = vector.clone().detach().requires_grad_(True)
    optimizer = torch.optim.Adam([x], lr=learning_rate)
    history = []
    for i in range(steps):
        loss = masked_cross_entropy(model.decode(x, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.detach())
    for p in model.parameters():
        p.requires_grad_(True)
    model.train()
    return x.detach(), torch.stack(history)


# %% correct: gradient asked for the vector alone

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    found = nn.Parameter(vector.detach().clone())
    adam = torch.optim.Adam([found], lr=learning_rate)
    losses = found.new_empty(steps)
    with torch.enable_grad():
        for turn in range(steps):
            cost = masked_cross_entropy(model.decode(found, targets), targets, pad_id)
            losses[turn] = cost.detach()
            (found.grad,) = torch.autograd.grad(cost, (found,))
            adam.step()
    return found.detach(), losses


# %% correct: weights held still by a context manager

from contextlib import contextmanager


@contextmanager
def held_still(module: nn.Module):
    """No parameter asks for a gradient inside; afterwards each asks as it did before."""
    before = [(parameter, parameter.requires_grad) for parameter in module.parameters()]
    try:
        for parameter, _ in before:
            parameter.requires_grad_(False)
        yield
    finally:
        for parameter, asked in before:
            parameter.requires_grad_(asked)


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    """Search for a vector that makes a trained decoder write the targets, without any encoder.

    model: has decode(vector (B, H), targets (B, T)) -> logits (B, T, V). It comes back as it
    was, so that training could go on: the same weights, mode and gradients (none added, none
    taken away), and every parameter still requires its gradient. Starting from `vector` (B, H),
    which is not changed, take `steps` steps of torch.optim.Adam over the vector alone, on
    masked_cross_entropy. Returns the fitted vector (B, H) and the losses (steps,), each
    measured before its step.
    """
    point = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([point], lr=learning_rate)
    measured = []

    def closure():
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(point, targets), targets, pad_id)
        loss.backward()
        measured.append(loss.item())
        return loss

    with held_still(model):
        for _ in range(steps):
            optimizer.step(closure)
    return point.detach(), torch.tensor(measured, dtype=point.dtype, device=point.device)
