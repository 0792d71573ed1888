# %% wrong: autocast for "cuda" wherever the model is
# The line of PyTorch's notes, with the device written into it. A model on the CPU gets no autocast: with
# dtype=torch.bfloat16 its products are in float32.

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


# %% wrong: gradients are cleared after the step, not before
# Fine from its own second call on, but what stands in .grad before the first (a loss.backward() to look at
# gradients, say) counts with this step's.

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
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach(), norm


# %% wrong: divided by the scale twice
# Divides the gradients by hand, which the scaler does not know of: scaler.step divides them once more. With a
# scale other than one and SGD the weights hardly move; with a scaler that is switched off all is well.

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
    scale = scaler.get_scale()
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= scale
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the optimizer steps without asking the scaler
# Everything has been unscaled and clipped, so why not optimizer.step()? Because a step with an infinite or NaN
# gradient was to be left out: here one such batch makes all weights NaN.

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
    with torch.autocast(device_type=device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scaler.update()
    return loss.detach(), norm


# %% correct: gradients asked for by name, with torch.autograd.grad

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
    device = weights[0].device
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    model.zero_grad(set_to_none=True)
    gradients = torch.autograd.grad(scaler.scale(loss), weights, allow_unused=True)
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(weights, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: clipped by hand, in one long vector

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
    short = torch.autocast(parameters[0].device.type, dtype=dtype, enabled=not dtype == torch.float32)
    loss = short(loss_of)(model, batch)  # autocast as a decorator
    torch.autograd.backward([scaler.scale(loss)])
    scaler.unscale_(optimizer)
    with torch.no_grad():
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        norm = torch.linalg.vector_norm(torch.cat([gradient.reshape(-1) for gradient in gradients]))
        factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factor)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm
