# %% wrong: a vector in the caller's memory
# detach() makes no copy: Adam moves the very numbers that the caller passed in, and `vector` is changed after the
# call. Shows for every vector.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (fitted.grad,) = torch.autograd.grad(loss, [fitted])
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% wrong: the model's gradients cleared at every step
# backward adds to the weights' .grad, and model.zero_grad() takes that away, together with what stood there before.
# Shows for a model whose parameters have a .grad when it comes in.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        model.zero_grad()
        losses.append(loss.item())
    return fitted.detach(), torch.tensor(losses, dtype=vector.dtype, device=vector.device)


# %% wrong: a clone that is still on the graph
# clone() without detach() is no leaf where the vector comes out of an encoder with its graph: Adam raises "can't
# optimize a non-leaf Tensor". With a vector that requires no gradient it is right.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        fitted.grad = torch.autograd.grad(loss, fitted)[0]
        optimizer.step()
        losses[i] = loss.detach()
    return fitted.detach(), losses


# %% wrong: a new optimizer at every step
# Adam is made inside the loop and forgets its sums, so that each step is one of the full learning rate. Shows from the
# second step on (steps = 1 is right).

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone()
    losses = []
    for _ in range(steps):
        fitted = fitted.detach().requires_grad_(True)
        optimizer = torch.optim.Adam([fitted], lr=learning_rate)
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% correct: Adam written out
def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone()
    first, second = torch.zeros_like(fitted), torch.zeros_like(fitted)
    losses = []
    for n in range(1, steps + 1):
        fitted.requires_grad_(True)
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        (slope,) = torch.autograd.grad(loss, [fitted])
        losses.append(loss.detach())
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope.square()
        size = (second / (1 - 0.999**n)).sqrt() + 1e-8
        fitted = fitted.detach() - learning_rate * first / (1 - 0.9**n) / size
    return fitted, torch.stack(losses)


# %% correct: a frozen copy of the model
def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    import copy

    twin = copy.deepcopy(model).requires_grad_(False)  # in the same mode; the caller's model is never touched
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.empty(steps, dtype=vector.dtype, device=vector.device)
    for loss_before in losses:
        optimizer.zero_grad()
        loss = masked_cross_entropy(twin.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        loss_before.copy_(loss.detach())
    return fitted.detach(), losses
