# %% wrong: an infinite norm is an error
# error_if_nonfinite=True makes clipping raise where a gradient is infinite or NaN, so the scaler
# never gets to leave the step out and to lower its scale. Shows at the first overflow.

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
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm, error_if_nonfinite=True)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: every parameter clipped for itself
# clip_grad_norm_ is called for each parameter, so each may have a norm of max_norm, and the
# directions change. The norm that is returned is right. Shows where the whole norm is above
# max_norm (and with several parameters).

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
    with torch.autocast(device.type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norms = [
        nn.utils.clip_grad_norm_(parameter, max_norm)
        for parameter in model.parameters()
        if parameter.grad is not None
    ]
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), torch.stack(norms).norm()

# %% wrong: autocast for a GPU wherever the model is
# The device of autocast is written down as "cuda". On a CPU the model then computes in float32
# whatever dtype says (with a warning at most). Shows with dtype bfloat16 and a model on the CPU.

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
    with torch.autocast("cuda", dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: a look at the loss before the step
# An `if` on the loss reads its value, for which a GPU would be waited for (tracing, or a tensor
# without contents, fails here). And where the loss is not finite, the scaler is never updated.

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
    if not torch.isfinite(loss):
        return loss.detach(), torch.full_like(loss.detach(), float("nan"))
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: the clipping by hand

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
    place = next(iter(model.parameters())).device.type
    short = dtype != torch.float32
    with torch.autocast(place, dtype=dtype, enabled=short):
        loss = loss_of(model, batch)
    torch.autograd.backward([scaler.scale(loss)])
    scaler.unscale_(optimizer)
    with torch.no_grad():
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        norms = torch.stack([torch.linalg.vector_norm(g) for g in gradients])
        norm = torch.linalg.vector_norm(norms)
        factor = (max_norm / norm).clamp(max=1.0)
        for gradient in gradients:
            gradient *= factor.to(gradient.dtype)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: norm and clipping as two calls, autocast entered by hand

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
    parameters = list(model.parameters())

    def forward() -> Tensor:
        return loss_of(model, batch)

    short = torch.autocast(
        parameters[0].device.type, dtype=dtype, enabled=dtype is not torch.float32
    )
    loss = short(forward)()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    with_gradient = [p for p in parameters if p.grad is not None]
    norm = nn.utils.get_total_norm([p.grad for p in with_gradient])
    nn.utils.clip_grads_with_norm_(with_gradient, max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm
