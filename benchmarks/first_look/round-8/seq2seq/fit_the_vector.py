# %% wrong: detach without clone
# The detached vector shares its memory with the caller's, and Adam writes into it in place.
# Shows in the caller's vector after any call with at least one step.

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


# %% wrong: the model's gradients are cleared at the end
# backward adds to the parameters' gradients, and zero_grad takes away those that stood there before as well.
# Shows for a model that comes with gradients.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.empty(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[i] = loss.detach()
    model.zero_grad()
    return fitted.detach(), losses


# %% wrong: eval for the search, train afterwards
# Ends with model.train() whatever the mode was: a model that came in eval mode goes back in training mode,
# and so does a part of it that was frozen in eval mode.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    model.eval()
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
        losses.append(loss.detach())
    model.train()
    return fitted.detach(), torch.stack(losses)


# %% wrong: the vector's gradient is never cleared
# The parameters are frozen and thawed as they should, but without zero_grad each step follows the sum of all
# gradients so far. Shows from the second step on, in the vector and from the third in the losses.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    return fitted.detach(), torch.stack(losses)


# %% correct: a copy of the model is frozen, the model itself is not touched

from copy import deepcopy


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    frozen = deepcopy(model).requires_grad_(False)
    losses = vector.detach().new_zeros(steps)
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    with torch.enable_grad():
        for i in range(steps):
            fitted.grad = None
            loss = masked_cross_entropy(frozen.decode(fitted, targets), targets, pad_id)
            loss.backward()
            losses[i] = loss.detach()
            optimizer.step()
    return fitted.data, losses


# %% correct: Adam calls a closure, and the closure asks for one gradient only

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = torch.empty_like(vector, requires_grad=True)
    with torch.no_grad():
        fitted.copy_(vector)
    search = torch.optim.Adam([{"params": [fitted]}], lr=learning_rate)

    def ask() -> Tensor:
        with torch.enable_grad():
            loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
            (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        return loss.detach()

    track = [search.step(ask) for _ in range(steps)]
    return fitted.detach(), torch.stack(track) if track else fitted.detach().new_zeros(0)
