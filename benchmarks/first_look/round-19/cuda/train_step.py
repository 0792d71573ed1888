# %% wrong: clips before it unscales
# The limit is applied to gradients that still carry the scale, and the norm returned is the
# scaled one. Shows with a scaler that is switched on.

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
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: clears the gradients only after the step
# Gradients that lie in .grad when the function is called are added to the new ones. Shows where
# a backward pass was run before.

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
    with torch.autocast(device_type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach(), norm


# %% wrong: the norm after clipping
# Measures the gradients once they are clipped, so the norm returned is never above max_norm.
# Shows where something was clipped.

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
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    norm = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: leaves the step out itself
# Skips the step where the norm is not finite, which the scaler would do anyway; but a scaler that
# is switched off always steps, and here it does not (a loss with an infinite gradient).

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
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    if torch.isfinite(norm):
        scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: gradients by torch.autograd.grad
# Asks for the gradients of all that the optimizer has, puts them into .grad, and clips by hand.
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
    parameters = list(model.parameters())
    learned = [p for p in parameters if p.requires_grad]
    with torch.autocast(parameters[0].device.type, dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    gradients = torch.autograd.grad(scaler.scale(loss), learned, allow_unused=True)
    for parameter, gradient in zip(learned, gradients):
        parameter.grad = gradient
    scaler.unscale_(optimizer)
    present = [p.grad for p in parameters if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in present]))
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in present:
        gradient.mul_(factor)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: contexts on a stack, and the two halves of clipping
# Enters autocast only where it is wanted, and calls the norm and the clipping separately.
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
    for parameter in model.parameters():
        parameter.grad = None
    with ExitStack() as contexts:
        kind = next(iter(model.parameters())).device.type
        if dtype == torch.float32:
            contexts.enter_context(torch.autocast(kind, enabled=False))
        else:
            contexts.enter_context(torch.autocast(kind, dtype=dtype))
        loss = loss_of(model, batch)
    torch.autograd.backward([scaler.scale(loss)])
    scaler.unscale_(optimizer)
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters() if p.grad is not None])
    nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.clone().detach(), norm
