# %% wrong: autocast wherever the scaler is switched on
# Autocast depends on scaler.is_enabled() and not on dtype: bfloat16 with a scaler that is off runs in float32.

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
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device_type=where, dtype=dtype, enabled=scaler.is_enabled()):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the scaler hears of good steps only
# update is called only where the norm is finite, so the scale never falls after an overflow, and the next step fails
# since unscale_ was called twice without an update.

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
    with torch.autocast(device_type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    total_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    if torch.isfinite(total_norm):  # otherwise the step is left out
        scaler.step(optimizer)
        scaler.update()
    return loss.detach(), total_norm


# %% wrong: the loss that comes back is the scaled one
# The name loss is given to the scaled loss, so what is returned carries the factor of the scaler.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    device_of_model = next(model.parameters()).device
    optimizer.zero_grad()
    with torch.autocast(device_of_model.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
        loss = scaler.scale(loss)
    loss.backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: the gradients are cleared after the step
# zero_grad comes last, so gradients that were there before the call are added to this step's.

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
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()  # ready for the next one
    return loss.detach(), norm


# %% wrong: the norm is taken once the gradients are clipped
# The norm that comes back is that of the clipped gradients: never above max_norm.

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
    with torch.autocast(parameters[0].device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    norm = torch.stack([p.grad.norm() for p in parameters if p.grad is not None]).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: autocast as a decorator, clipping by hand

def _clip(gradients: list[Tensor], max_norm: float, like: Tensor) -> Tensor:
    """Shorten the gradients in place, all by one factor; the norm that they had."""
    lengths = [torch.linalg.vector_norm(gradient) for gradient in gradients]
    length = torch.linalg.vector_norm(torch.stack(lengths)) if lengths else torch.zeros((), device=like.device)
    factor = torch.clamp(max_norm / (length + 1e-6), max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return length


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    weights = list(model.parameters())
    for weight in weights:
        weight.grad = None
    short = torch.autocast(weights[0].device.type, dtype=dtype, enabled=dtype != torch.float32)
    loss = short(loss_of)(model, batch)
    torch.autograd.backward([scaler.scale(loss)])
    result = loss.detach()
    del loss
    scaler.unscale_(optimizer)
    with torch.no_grad():
        norm = _clip([weight.grad for weight in weights if weight.grad is not None], max_norm, weights[0])
    scaler.step(optimizer)
    scaler.update()
    return result, norm


# %% correct: three small functions, one after the other

def _forward(model, loss_of, batch, dtype) -> Tensor:
    kind = next(iter(model.parameters())).device.type
    if dtype is torch.float32:
        with torch.autocast(kind, enabled=False):
            return loss_of(model, batch)
    with torch.autocast(kind, dtype=dtype):
        return loss_of(model, batch)


def _backward(loss: Tensor, model, optimizer, scaler) -> None:
    model.zero_grad(set_to_none=True)
    optimizer.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)


def _update(model, optimizer, scaler, max_norm) -> Tensor:
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm, error_if_nonfinite=False)
    scaler.step(optimizer)
    scaler.update()
    return norm.detach()


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    loss = _forward(model, loss_of, batch, dtype)
    _backward(loss, model, optimizer, scaler)
    return loss.detach(), _update(model, optimizer, scaler, max_norm)
