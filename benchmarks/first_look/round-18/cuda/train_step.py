# %% wrong: clipped before unscaling
# Scaled gradients are clipped: the norm and the update are wrong with any scale other than 1.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    where = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(where, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: old gradients count
# No zero_grad: gradients left from an earlier step are added.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    where = next(model.parameters()).device.type
    with torch.autocast(where, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: the scale is never adapted
# scaler.update() is missing: the scale stays, and a second step raises.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    where = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(where, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    return loss.detach(), norm

# %% wrong: returns the scaled loss
# The loss comes back times the scale.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    where = next(model.parameters()).device.type
    optimizer.zero_grad()
    with torch.autocast(where, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    loss = scaler.scale(loss)
    loss.backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: gradients set by autograd.grad

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    parameters = [p for p in model.parameters() if p.requires_grad]
    with torch.autocast(parameters[0].device.type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    for p, g in zip(parameters, torch.autograd.grad(scaler.scale(loss), parameters, allow_unused=True), strict=True):
        p.grad = g
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: clipped by hand

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    where = next(model.parameters()).device.type
    optimizer.zero_grad()
    if dtype == torch.float32:
        loss = loss_of(model, batch)
    else:
        with torch.autocast(where, dtype=dtype):
            loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.stack([g.norm() for g in gradients]).norm()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for g in gradients:
        g.mul_(factor)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

