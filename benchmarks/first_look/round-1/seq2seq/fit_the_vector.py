# %% wrong: detach without clone
# detach() shares the memory of the caller's vector, and Adam moves it in place: vector comes back fitted. A good message: "vector has changed: detach().clone()".

from course.components import masked_cross_entropy


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
        losses.append(loss.item())
    return fitted.detach(), torch.tensor(losses)

# %% wrong: cleans up too much
# backward() puts gradients on the model's weights, and model.zero_grad() at the end takes them away, together with those that stood there before. A good message: "gradients that stood on the parameters are gone: do not let any be added in the first place".

from course.components import masked_cross_entropy


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps)
    for i in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses[i] = loss.detach()
    model.zero_grad()
    return fitted.detach(), losses

# %% wrong: freezes the weights for good
# requires_grad_(False) holds the weights still, and is never taken back; and the model is left in evaluation mode. A good message: "after the call no parameter requires its gradient: training could not go on".

from course.components import masked_cross_entropy


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    model.eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
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

# %% correct: the weights frozen inside a context manager, thawed in any case

from contextlib import contextmanager


@contextmanager
def held_still(module):
    before = [(p, p.requires_grad) for p in module.parameters()]
    module.requires_grad_(False)
    try:
        yield
    finally:
        for p, flag in before:
            p.requires_grad_(flag)


from course.components import masked_cross_entropy


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = torch.nn.Parameter(vector.detach().clone())
    adam = torch.optim.Adam(params=[{"params": fitted}], lr=learning_rate)
    losses = vector.new_empty(steps, requires_grad=False)
    with held_still(model), torch.enable_grad():
        for i in range(steps):
            fitted.grad = None
            loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
            loss.backward()
            losses[i] = loss.detach()
            adam.step()
    return fitted.data, losses
