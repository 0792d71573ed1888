# %% wrong: autocast only together with the scaler
# loss_of "runs under autocast to dtype": for dtype=torch.bfloat16 with a scaler that is switched off (as bfloat16 is trained)
# everything is computed in float32.


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    mixed = scaler.is_enabled() and dtype != torch.float32
    optimizer.zero_grad()
    with torch.autocast(next(model.parameters()).device.type, dtype=dtype, enabled=mixed):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: gradients cleared at the end and not at the beginning
# "Gradients left from earlier steps do not count": where parameters come in with a .grad (somebody called backward before the first
# step) it is added to the new one, unscaled with it, and changes norm and step. Among its own steps it is right.


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
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()  # ready for the next step
    return loss.detach(), norm


# %% wrong: only the optimizer's first group is clipped
# "clipped to a norm of max_norm over all parameters together": with an optimizer of two groups (weights with decay, biases without)
# the second group's gradients are neither counted in the norm nor clipped.


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    parameters = optimizer.param_groups[0]["params"]
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(parameters[0].device.type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: a loss that is not finite ends the step early
# "no number is read off the loss" (the if does, at every step), and the scaler "adapts its scale": where the loss itself is infinite
# (float16 overflows) the scale stays as it is, for ever, and the norm that comes back is made up.


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
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    if not torch.isfinite(loss):  # leave the step out
        return loss.detach(), torch.full((), float("inf"), device=device)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: the norm and the clipping written out
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
    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = None
    kind = parameters[0].device.type
    off = dtype == torch.float32
    with torch.autocast(kind, enabled=False) if off else torch.autocast(kind, dtype=dtype):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    with torch.no_grad():
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        norm = torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()
        factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient *= factor
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: gradients asked for by name and laid into place
from collections import OrderedDict


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    wanted = OrderedDict((name, p) for name, p in model.named_parameters() if p.requires_grad)
    autocast = torch.amp.autocast(
        device_type=next(model.parameters()).device.type, dtype=dtype, enabled=dtype in (torch.float16, torch.bfloat16)
    )
    forward = autocast(loss_of)
    loss = forward(model, batch)
    found = torch.autograd.grad(scaler.scale(loss), list(wanted.values()), allow_unused=True)
    optimizer.zero_grad()
    for parameter, gradient in zip(wanted.values(), found, strict=True):
        parameter.grad = None if gradient is None else gradient.clone()
    scaler.unscale_(optimizer)
    gradients = [parameter.grad for parameter in wanted.values() if parameter.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    torch._foreach_mul_(gradients, torch.clamp(max_norm / (norm + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm
