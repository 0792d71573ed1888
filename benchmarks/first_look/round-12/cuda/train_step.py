# %% wrong: clip, then unscale
# Gradients are clipped while they still carry the scale, so max_norm is meant for scale times the gradient.
# Shows with a scaler of scale 65,536: the step is far too small with SGD, and the norm is 65,536 times too large.

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
    kind = next(model.parameters()).device.type
    with torch.autocast(kind, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: old gradients stay
# Nothing sets the gradients back, so those of earlier steps are added to.
# Shows at the second step, or at the first where .grad was not None; unscale_ also divides the old ones again.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    kind = next(model.parameters()).device.type
    with torch.autocast(kind, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: no update
# The scaler is never told that the step is over: its scale does not adapt.
# Shows where a gradient is infinite (the scale should halve), and at the next call: unscale_ raises a RuntimeError.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    optimizer.zero_grad(set_to_none=True)
    kind = next(model.parameters()).device.type
    with torch.autocast(kind, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    return loss.detach(), norm

# %% wrong: the optimizer steps by itself
# After unscale_ the gradients are true ones, so optimizer.step() is called directly and never left out.
# Shows where a gradient is infinite or NaN with a scaler that is switched on: the weights become NaN.

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
    kind = next(model.parameters()).device.type
    with torch.autocast(kind, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scaler.update()
    return loss.detach(), norm

# %% correct: gradients asked for by name

# torch.autograd.grad of the scaled loss, written into .grad; clipping as PyTorch has it.

import contextlib


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    weights = [p for p in model.parameters() if p.requires_grad]
    place = next(model.parameters()).device.type
    short = contextlib.nullcontext() if dtype == torch.float32 else torch.autocast(place, dtype)
    with short:
        loss = loss_of(model, batch)
    optimizer.zero_grad(set_to_none=True)
    scaled = scaler.scale(loss)
    for weight, grad in zip(weights, torch.autograd.grad(scaled, weights, allow_unused=True), strict=True):
        weight.grad = grad
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(weights, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: clipped by hand

# Backward starts from the scale itself (the derivative of scale times loss); norm and clipping are written out.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    for p in model.parameters():
        p.grad = None
    device_type = next(model.parameters()).device.type
    with torch.autocast(device_type=device_type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    loss.backward(gradient=scaler.scale(torch.ones_like(loss)))
    scaler.unscale_(optimizer)
    with torch.no_grad():
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.stack([g.square().sum() for g in grads]).sum().sqrt()
        factor = torch.clamp(max_norm / norm, max=1.0)
        for g in grads:
            g.mul_(factor)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach().clone(), norm
