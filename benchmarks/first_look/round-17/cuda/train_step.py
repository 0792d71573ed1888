# %% wrong: the scaled loss divided by the scale after update
# The loss is returned as scaled / scaler.get_scale(), but update may just have changed the scale: after a step with an
# infinite gradient it is half, and the loss comes out twice as large (and half as large where the scale grew).

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:

    device = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(device, dtype=dtype, enabled=dtype is not torch.float32):
        loss = scaler.scale(loss_of(model, batch))
    loss.backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach() / scaler.get_scale(), norm


# %% wrong: clipping raises an error where the norm is not finite
# error_if_nonfinite=True: an overflow, after which the step should be left out and the scale halved, ends in a
# RuntimeError. Shows for any infinite or NaN gradient.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:

    device = next(model.parameters()).device.type
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm, error_if_nonfinite=True)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm.detach()


# %% wrong: without a scaler no clipping
# Unscaling and clipping are one block that a scaler switched off does not enter. All else should be the same there:
# shows with enabled=False and gradients longer than max_norm.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:

    device = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    if not scaler.is_enabled():
        loss.backward()
        optimizer.step()
        norm = torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()
        return loss.detach(), norm
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the gradients cleared after the step alone
# zero_grad stands at the end: gradients that are there when the step begins, from a backward pass of somebody else, are
# added to this batch's.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:

    device = next(model.parameters()).device.type
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()  # ready for the next step
    return loss.detach(), norm


# %% correct: autograd.grad, and the gradients put in place

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:

    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    short = dtype != torch.float32
    with torch.autocast(parameters[0].device.type, dtype=dtype if short else None, enabled=short):
        loss = loss_of(model, batch)
    found = torch.autograd.grad(scaler.scale(loss), parameters, allow_unused=True)
    optimizer.zero_grad()
    for parameter, gradient in zip(parameters, found, strict=True):
        parameter.grad = gradient
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm.detach()


# %% correct: the norm and the clipping by hand

from contextlib import nullcontext


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:

    kind = next(iter(model.parameters())).device.type
    for parameter in model.parameters():
        parameter.grad = None
    with nullcontext() if dtype == torch.float32 else torch.autocast(kind, dtype):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    with torch.no_grad():
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        norm = torch.linalg.vector_norm(torch.cat([gradient.flatten() for gradient in gradients]))
        shrink = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(shrink)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm
