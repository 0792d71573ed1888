# %% wrong: wipes the gradients at the end
# The gradients that backward left are removed with zero_grad, and with them those that stood on the model before.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps)
    for i in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        losses[i] = loss.item()
        optimizer.step()
    model.zero_grad()  # leave no trace on the weights
    return fitted.detach(), losses


# %% wrong: detached but not copied
# detach shares its memory with the vector that was passed in, and the optimizer's steps in place change the caller's vector.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
        losses.append(loss.item())
    return fitted.detach().clone(), torch.tensor(losses)


# %% wrong: a new optimizer at every step
# Adam is made anew inside the loop and forgets its running means: each step has the length of a first one.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    current = vector.detach().clone()
    losses = torch.empty(steps)
    for i in range(steps):
        current = current.detach().requires_grad_(True)
        optimizer = torch.optim.Adam([current], lr=learning_rate)
        loss = masked_cross_entropy(model.decode(current, targets), targets, pad_id)
        (current.grad,) = torch.autograd.grad(loss, [current])
        losses[i] = loss.detach()
        optimizer.step()
    return current.detach(), losses


# %% wrong: held within the range of tanh
# After each step the vector is clamped to what the encoder could give; the search that was asked for has no such bounds.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        losses.append(loss.item())
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
        with torch.no_grad():
            fitted.clamp_(-1, 1)
    return fitted.data, torch.tensor(losses)


# %% wrong: eval for the search, then always train
# The mode is set to eval and to train afterwards: a model that came in eval mode leaves in train mode, and dropout is off during the search.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    model.eval()
    fitted = vector.clone().detach().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward(inputs=[fitted])
        optimizer.step()
        losses.append(loss.item())
    model.train()
    return fitted.detach(), torch.tensor(losses)


# %% correct: a class that holds the search, with autograd.grad

class _Search:
    def __init__(self, start: Tensor, learning_rate: float):
        self.place = start.detach().clone().requires_grad_(True)
        self.adam = torch.optim.Adam([self.place], lr=learning_rate)

    def move(self, loss: Tensor) -> None:
        (self.place.grad,) = torch.autograd.grad(loss, (self.place,))
        self.adam.step()


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    search = _Search(vector, learning_rate)
    losses = vector.detach().new_zeros(steps)
    for turn in range(steps):
        loss = masked_cross_entropy(model.decode(search.place, targets), targets, pad_id)
        losses[turn] = loss.detach()
        search.move(loss)
    return search.place.detach().clone(), losses


# %% correct: on a copy of the model

import copy


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    twin = copy.deepcopy(model)  # whatever happens to it, the model does not notice
    for parameter in twin.parameters():
        parameter.requires_grad_(False)
    found = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([found], lr=learning_rate)
    history = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(twin.decode(found, targets), targets, pad_id)
        loss.backward()
        history.append(loss.detach())
        optimizer.step()
    losses = torch.stack(history) if history else found.detach().new_empty(0)
    return found.detach(), losses
