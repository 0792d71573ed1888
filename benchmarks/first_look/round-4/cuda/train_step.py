# %% wrong: autocast for "cuda" wherever the model is
# The device of autocast is written down as "cuda". Without a GPU torch warns and switches it off, so the step runs in
# float32 and nobody gets the 16 bits that were asked for.
# Hint: on a CPU, which dtype has the output of a linear map inside your loss?

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
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: gradients cleared after the step only
# zero_grad stands at the end. In a loop of such steps that is the same; but gradients that stood there before the first
# one are added to its own.
# Hint: call backward once by hand, then your step. Which gradients does the optimizer see?

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


# %% wrong: every parameter clipped by itself
# Clips the gradient of each parameter to max_norm on its own. The norm that is returned is right, but together the
# gradients may be longer than max_norm, and their direction changes.
# Hint: two parameters with gradients of norm 1 each and max_norm=1: what is the norm of both together?

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
    optimizer.zero_grad()
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norms = []
    for parameter in model.parameters():
        if parameter.grad is not None:
            norms.append(torch.nn.utils.clip_grad_norm_([parameter], max_norm))
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), torch.stack(norms).norm()


# %% wrong: clipping only where the scaler is on
# Unscaling and clipping stand together in one `if scaler.is_enabled()`. With a scaler that is switched off, as for
# float32 and bfloat16, nothing is clipped, and only the norm is computed.
# Hint: which of your lines are about the scale, and which are not?

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
    optimizer.zero_grad()
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    if scaler.is_enabled():
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        norm = torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()
        optimizer.step()
    return loss.detach(), norm


# %% wrong: the scale not adapted after an overflow
# Where the norm is not finite, step and update are both skipped. The step should be left out there, but it is just then
# that the scale must be halved: here it stays too large, and every later step overflows again.
# Hint: how does the scaler learn that its scale was too large? Look at scaler.get_scale() after such a step.

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
    optimizer.zero_grad()
    with torch.autocast(device_type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    if torch.isfinite(norm):
        scaler.step(optimizer)
        scaler.update()
    return loss.detach(), norm


# %% correct: the clipping written out

@torch.no_grad()
def clipped_together(parameters, max_norm):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in gradients]))
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for g in gradients:
        g.mul_(factor)
    return norm


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
    kind = next(model.parameters()).device.type
    if dtype == torch.float32:
        short = torch.autocast(kind, enabled=False)
    else:
        short = torch.autocast(kind, dtype=dtype)
    with short:
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = clipped_together(list(model.parameters()), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: the forward pass in a helper that hides the format

from contextlib import nullcontext


def in_format(dtype, device_type):
    return nullcontext() if dtype is torch.float32 else torch.autocast(device_type=device_type, dtype=dtype)


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
    with in_format(dtype, parameters[0].device.type):
        loss = loss_of(model, batch)
    model.zero_grad(set_to_none=True)  # before backward is early enough
    torch.autograd.backward(scaler.scale(loss))
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm=max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach().clone(), norm.detach()
