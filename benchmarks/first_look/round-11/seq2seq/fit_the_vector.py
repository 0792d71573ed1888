# %% wrong: the caller's numbers are fitted
# detach() shares its memory with `vector`, so Adam changes the caller's vector in place: after any call the vector that went
# in is the fitted one.

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

# %% wrong: the model's gradients cleared at the end
# backward adds to the parameters' .grad, and zero_grad takes all away, also what stood there before the call: a model with
# gradients from an earlier backward comes back with None.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = nn.Parameter(vector.detach().clone())
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = torch.zeros(steps, dtype=vector.dtype, device=vector.device)
    for i in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses[i] = loss.item()
    model.zero_grad()
    return fitted.detach(), losses

# %% wrong: stale gradients of the vector
# The parameters are held still and given back, but the vector's own gradient is never cleared: from the second step on Adam
# gets the sum of all gradients. Right for steps = 1.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    requires = [p.requires_grad for p in model.parameters()]
    for p in model.parameters():
        p.requires_grad_(False)
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    for p, required in zip(model.parameters(), requires, strict=True):
        p.requires_grad_(required)
    return fitted.detach(), torch.stack(losses)

# %% wrong: evaluation mode, and then training mode
# The weights are held still, so eval() is called, and train() afterwards: a model that came in evaluation mode goes back in
# training mode.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    model.eval()
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        optimizer.zero_grad()
        loss.backward(inputs=[fitted])
        optimizer.step()
        losses.append(loss.detach())
    model.train()
    return fitted.detach(), torch.stack(losses)

# %% correct: a frozen copy of the model

import copy


def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    still = copy.deepcopy(model).requires_grad_(False)
    search = nn.ParameterList([nn.Parameter(vector.detach().clone())])
    adam = torch.optim.Adam(search.parameters(), lr=learning_rate)
    losses = vector.detach().new_empty(steps)
    for before in losses:  # a view of each entry
        adam.zero_grad()
        loss = masked_cross_entropy(still.decode(search[0], targets), targets, pad_id)
        loss.backward()
        before.copy_(loss.detach())
        adam.step()
    return search[0].detach(), losses

# %% correct: a closure whose backward knows one input only

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    moved = torch.empty_like(vector, requires_grad=False).copy_(vector.detach()).requires_grad_()
    optimizer = torch.optim.Adam((moved,), lr=learning_rate)

    def measure() -> Tensor:
        moved.grad = None
        loss = masked_cross_entropy(model.decode(moved, targets), targets, pad_id)
        loss.backward(inputs=(moved,))
        return loss.detach()

    losses = [optimizer.step(measure) for _ in range(steps)]
    return moved.detach(), torch.stack(losses)
