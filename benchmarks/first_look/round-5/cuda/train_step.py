# %% wrong: gradients are cleared after the step
# zero_grad comes at the end; what some earlier backward left in .grad is added to the first step.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device = next(model.parameters()).device
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach(), norm


# %% wrong: each parameter is clipped alone
# clip_grad_norm_ is called for one parameter at a time, so the threshold holds for each and not for all together.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    optimizer.zero_grad()
    device_type = next(model.parameters()).device.type
    with torch.autocast(device_type, dtype=dtype, enabled=(dtype != torch.float32)):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norms = []
    for p in model.parameters():
        if p.grad is not None:
            norms.append(nn.utils.clip_grad_norm_(p, max_norm))
    norm = torch.stack(norms).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the loss is looked at
# A loss that is not finite is caught with an if, which reads a number off the device in each step; and then the scaler is not updated.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device = next(model.parameters()).device
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device_type=device.type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    if not torch.isfinite(loss):
        return loss.detach(), torch.tensor(float("nan"), device=device)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the scaled loss is returned
# loss is assigned anew by scaler.scale, so what comes back carries the scale; unnoticed while the scaler is off.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    model.zero_grad()
    kind = next(model.parameters()).device.type
    with torch.autocast(kind, dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    loss = scaler.scale(loss)
    loss.backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: autocast for cuda only
# The device of autocast is written in as cuda; a model on the CPU computes in float32 whatever dtype says.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    optimizer.zero_grad()
    use_amp = dtype != torch.float32 and torch.cuda.is_available()
    with torch.autocast("cuda", dtype=dtype, enabled=use_amp):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: clipping written out

def _clip(parameters, max_norm):
    """All gradients times one factor, at most 1; the norm of all of them before."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    squares = torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients])
    norm = torch.linalg.vector_norm(squares)
    factor = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return norm


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = None
    forward = loss_of
    if dtype != torch.float32:
        forward = torch.autocast(parameters[0].device.type, dtype=dtype)(loss_of)
    loss = forward(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = _clip(parameters, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: three small functions and a null context

from contextlib import nullcontext


def _precision(model, dtype):
    if dtype == torch.float32:
        return nullcontext()
    place = {parameter.device.type for parameter in model.parameters()}.pop()
    return torch.autocast(device_type=place, dtype=dtype)


def _backward(loss, scaler, optimizer):
    torch.autograd.backward(scaler.scale(loss))
    scaler.unscale_(optimizer)


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    with _precision(model, dtype):
        loss = loss_of(model, batch)
    model.zero_grad()
    optimizer.zero_grad()
    _backward(loss, scaler, optimizer)
    having = [p for p in model.parameters() if p.grad is not None]
    norm = nn.utils.get_total_norm([p.grad for p in having])
    nn.utils.clip_grads_with_norm_(having, max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    with torch.no_grad():
        return loss.clone(), norm
