# %% wrong: clipped before it is unscaled
# The gradients still carry the scale when they are clipped, so they are cut to max_norm and then divided by the scale (and the norm returned is a scaled one).
# Hint: max_norm is about true gradients: when are they true?

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device_type = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the scaler is never updated
# scaler.update() is missing, so the scale never adapts, and a second step fails because the scaler believes that it has unscaled already.
# Hint: what must a scaler be told after each step so that it can learn?

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device_type = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    return loss.detach(), norm


# %% wrong: gradients are cleared at the end only
# zero_grad stands after the step, so what lay in .grad before the call is added to the first gradient; gradients from earlier steps must not count.
# Hint: somebody has called backward on this model before your function: what is in .grad when your backward begins?

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device_type = next(model.parameters()).device.type
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach(), norm


# %% wrong: an infinite gradient is an error
# With error_if_nonfinite=True clipping raises where a gradient is infinite, but the scaler should leave the step out and halve its scale.
# Hint: an overflow is expected with a large scale: who is to deal with it?

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device_type = next(model.parameters()).device.type
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm, error_if_nonfinite=True)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: the norm and the clipping by hand

def _clip(parameters, max_norm):
    """Shrink all gradients by one factor; the norm of all of them before that, as a tensor."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]))
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
    for parameter in model.parameters():
        parameter.grad = None
    if dtype is torch.float32:
        loss = loss_of(model, batch)
    else:
        where = next(iter(model.parameters())).device.type
        with torch.autocast(device_type=where, dtype=dtype):
            loss = loss_of(model, batch)
    torch.autograd.backward(scaler.scale(loss))
    scaler.unscale_(optimizer)
    norm = _clip(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: contexts chosen first, clipping in two calls

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    from contextlib import nullcontext

    parameters = list(model.parameters())
    short = nullcontext() if dtype == torch.float32 else torch.autocast(parameters[0].device.type, dtype)
    with short:
        loss = loss_of(model, batch)
    model.zero_grad(set_to_none=True)  # before backward is early enough
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    nn.utils.clip_grads_with_norm_(parameters, max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach().clone(), norm
