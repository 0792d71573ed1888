# %% wrong: clipped while scaled
# The gradients are clipped before they are divided by the scale: with Adam hardly visible, wrong all the same, and the norm comes back scaled. With a scaler that is switched off it is right. A good message: "the norm is 65,536 times too large: unscale_ before you clip".

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
    scaler.scale(loss).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: swept out at the end
# zero_grad stands behind the step: in a loop of these calls all is right, but gradients left from elsewhere count in the first one. And afterwards no gradient can be looked at. A good message: "gradients that stood there before the call have changed the step".

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
    optimizer.zero_grad()
    return loss.detach(), norm

# %% wrong: a scaler that never learns
# update is not called: the scale stays as it is for ever, and the next unscale_ raises RuntimeError. A good message: "the scaler's scale has not been adapted after an infinite gradient".

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
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    return loss.detach(), norm

# %% wrong: numbers for the log
# Loss and norm come back as Python floats by .item(), which waits for the GPU at every step. A good message: "both are promised as tensors; .item() waits".

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
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.item(), norm.item()

# %% wrong: cuda by name, and the norm after clipping
# autocast is told "cuda" whatever the model's device: on a CPU it is switched off with a warning. And the norm is measured once more after clipping, so it is never above max_norm. A good message: "the products did not run in bfloat16 on the CPU"; "the norm BEFORE clipping is promised".

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device = "cuda"
    optimizer.zero_grad()
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: clipping by hand

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    import contextlib

    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = None
    optimizer.zero_grad(set_to_none=True)
    kind = parameters[0].device.type
    with contextlib.ExitStack() as stack:
        if dtype is not torch.float32:
            stack.enter_context(torch.autocast(device_type=kind, dtype=dtype))
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.stack([torch.linalg.vector_norm(grad, dtype=torch.float32) for grad in grads]).square().sum().sqrt()
    factor = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    for grad in grads:
        grad.mul_(factor.to(grad.dtype))
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: forward in a function of its own

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    def forward() -> Tensor:
        where = {parameter.device.type for parameter in model.parameters()}.pop()
        if dtype == torch.float32:
            return loss_of(model, batch)
        return torch.autocast(where, dtype)(loss_of)(model, batch)

    model.zero_grad(set_to_none=True)
    loss = forward()
    torch.autograd.backward(scaler.scale(loss))
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.get_total_norm([p.grad for p in model.parameters() if p.grad is not None])
    torch.nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach().clone(), norm
