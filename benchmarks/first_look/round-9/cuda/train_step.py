# %% wrong: the gradients are cleared after the step
# It leaves no gradients behind, but those that are there when it is called count in its step. Shows where the
# model has gradients from something else, a backward of one's own, say.

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
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach(), norm


# %% wrong: unscaled by hand, and once more by the scaler
# The scaler does not know that the gradients were divided already: its step divides them again. Shows with every
# scaler that is switched on, in SGD at once.

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
    scale = scaler.get_scale()
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= scale
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: each tensor is clipped alone
# Every parameter's gradient is cut down to max_norm by itself; the norm that is returned is the right one. Shows
# where the norm over all parameters is above max_norm and there are two parameters or more.

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
    norms = []
    for parameter in model.parameters():
        if parameter.grad is not None:
            norms.append(nn.utils.clip_grad_norm_(parameter, max_norm))
    norm = torch.stack(norms).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: autocast for cuda, wherever the model is
# The device of autocast is written down and not taken from the model. Shows for a model on the CPU with
# dtype=torch.bfloat16 or float16: all is computed in 32 bits there.

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
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
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
    parameters = list(model.parameters())
    stepped = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for parameter in parameters + stepped:
        parameter.grad = None
    place = parameters[0].device
    loss = torch.autocast(place.type, dtype=dtype, enabled=dtype != torch.float32)(loss_of)(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    with torch.no_grad():
        known = {id(parameter) for parameter in stepped}
        squares = torch.zeros((), device=place)
        for parameter in parameters:
            if parameter.grad is None:
                continue
            if id(parameter) not in known:  # the scaler divides what the optimizer has, and no more
                parameter.grad.div_(scaler.get_scale())
            squares = squares + torch.linalg.vector_norm(parameter.grad).square()
        norm = squares.sqrt()
        factor = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad.mul_(factor)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: in stages, with the two halves of clip_grad_norm_

def forget_gradients(model, optimizer):
    optimizer.zero_grad()
    model.zero_grad()


def true_gradients(model, optimizer, scaler):
    """The gradients of all parameters, divided by the scale."""
    scaler.unscale_(optimizer)
    seen = {id(p) for group in optimizer.param_groups for p in group["params"]}
    others = [p.grad for p in model.parameters() if p.grad is not None and id(p) not in seen]
    if others:
        torch._foreach_div_(others, scaler.get_scale())
    return [p.grad for p in model.parameters() if p.grad is not None]


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    forget_gradients(model, optimizer)
    kind = next(iter(model.parameters())).device.type
    short = dtype is not torch.float32
    with torch.autocast(kind, enabled=short, **({"dtype": dtype} if short else {})):
        loss = loss_of(model, batch)
    torch.autograd.backward([scaler.scale(loss)])
    norm = nn.utils.get_total_norm(true_gradients(model, optimizer, scaler))
    nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach().clone(), norm
