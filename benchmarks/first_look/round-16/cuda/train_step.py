# %% wrong: autocast for float16 only
# As with the notebook's GradScaler, autocast is enabled where dtype is float16. With dtype
# torch.bfloat16 the products are float32's: it shows in the dtype that loss_of sees.

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
    with torch.autocast(device.type, dtype=torch.float16, enabled=dtype == torch.float16):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: only the first group is clipped
# "optimizer has all of the model's parameters", so its param_groups[0] is taken for them. Right with one
# group; with two (weight decay for some) the second is neither in the norm nor clipped.

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
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    parameters = optimizer.param_groups[0]["params"]
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm.detach()


# %% wrong: divided by hand, then stepped by the scaler
# The gradients are divided by get_scale() without telling the scaler, which divides them again in step.
# It shows with an enabled scaler of scale other than 1 and SGD.

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
    model.zero_grad()
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scale = scaler.get_scale()
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= scale
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: every parameter is clipped by itself
# clip_grad_norm_ runs once for each parameter, so each gradient may have the norm max_norm. It shows
# with two parameters whose gradients together are longer than max_norm.

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
    norms = [nn.utils.clip_grad_norm_(parameter, max_norm) for parameter in model.parameters()]
    norm = torch.stack(norms).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: gradients from autograd.grad, clipped by hand

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
    optimizer.zero_grad()
    model.zero_grad()
    with torch.autocast(next(model.parameters()).device.type, dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    found = torch.autograd.grad(scaler.scale(loss), parameters, allow_unused=True)
    reached = []
    for parameter, gradient in zip(parameters, found, strict=True):
        if gradient is not None:
            parameter.grad = gradient.clone()
            reached.append(parameter)
    scaler.unscale_(optimizer)
    with torch.no_grad():
        norms = [torch.linalg.vector_norm(parameter.grad) for parameter in reached]
        norm = torch.linalg.vector_norm(torch.stack(norms))
        shrink = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
        for parameter in reached:
            parameter.grad.mul_(shrink)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: a stack of contexts, and the two halves of clipping

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

    *_, somewhere = model.parameters()
    optimizer.zero_grad()
    with contextlib.ExitStack() as stack:
        short = dtype != torch.float32
        kind = dtype if short else None
        stack.enter_context(torch.autocast(somewhere.device.type, dtype=kind, enabled=short))
        mean_loss = loss_of(model, batch)
    torch.autograd.backward(scaler.scale(mean_loss))
    scaler.unscale_(optimizer)
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    norm = nn.utils.get_total_norm(gradients)
    nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, norm)
    for turn in (lambda: scaler.step(optimizer), scaler.update):
        turn()
    return mean_loss.detach().clone(), norm.clone()
