# %% wrong: clips first and unscales then
# The gradients are clipped while they still carry the scale, and divided by it afterwards: with an enabled
# scaler (scale 65,536) the step is far too small, and the norm that is returned is the scaled one.

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

# %% wrong: gradients are cleared at the end of the step
# zero_grad stands after the step. Gradients that were there before the call (a backward done by somebody else)
# are added to this step's.

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
    optimizer.zero_grad()
    return loss.detach(), norm

# %% wrong: divided by hand, and by the scaler once more
# The gradients are divided by the scale in a loop, without unscale_; scaler.step does not know and divides again.
# With an enabled scaler SGD's step is 65,536 times too small.

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
    with torch.autocast(next(model.parameters()).device.type, dtype=dtype, enabled=dtype != torch.float32):
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

# %% wrong: autocast for cuda, wherever the model is
# The device of autocast is written down as "cuda", as in most tutorials. For a model on the CPU and dtype bfloat16
# or float16 nothing is cast: the products are made in float32.

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
    with torch.autocast("cuda", dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: clipping by hand, without a branch on a number

from contextlib import ExitStack


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
    with ExitStack() as casting:
        if dtype != torch.float32:
            casting.enter_context(torch.autocast(parameters[0].device.type, dtype=dtype))
        loss = loss_of(model, batch)
    for parameter in parameters:
        parameter.grad = None
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    with torch.no_grad():
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        norm = torch.stack([gradient.norm() for gradient in gradients]).square().sum().sqrt()
        shrink = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(shrink)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% correct: gradients by autograd.grad, put in their places

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    model.zero_grad(set_to_none=True)
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    casting = torch.autocast(next(model.parameters()).device.type, dtype=dtype, enabled=dtype != torch.float32)
    loss = casting(loss_of)(model, batch)
    found = torch.autograd.grad(scaler.scale(loss), learned, allow_unused=True)
    for parameter, gradient in zip(learned, found, strict=True):
        parameter.grad = None if gradient is None else gradient.clone()  # one may be a view, or another's too
    scaler.unscale_(optimizer)
    norm = nn.utils.get_total_norm([parameter.grad for parameter in learned if parameter.grad is not None])
    nn.utils.clip_grads_with_norm_(learned, max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm
