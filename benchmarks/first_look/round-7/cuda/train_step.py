# %% wrong: gradients are zeroed at the end of the step only
# Gradients that are already there at the first call (from another loss, say) are added to this step's.

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
    optimizer.zero_grad()
    return loss.detach(), norm


# %% wrong: autocast is switched on by the scaler
# With bfloat16 and a scaler that is switched off, as bfloat16 is usually trained, everything runs in float32.

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
    if scaler.is_enabled() and dtype != torch.float32:
        with torch.autocast(device_type=device.type, dtype=dtype):
            loss = loss_of(model, batch)
    else:
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: each parameter is clipped to max_norm on its own
# The norm that is returned is that of all together, but the clipping is not: with several large gradients the norm afterwards is above
# max_norm, and the direction has changed.

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
            norms.append(nn.utils.clip_grad_norm_([parameter], max_norm))
    norm = torch.stack(norms).norm()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: every gradient is brought to the norm max_norm, the small ones too
# A gradient whose norm is below max_norm has to stay as it is; here it is made longer.

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
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.sqrt(sum((g**2).sum() for g in gradients))
    for g in gradients:
        g.mul_(max_norm / (norm + 1e-6))
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: the norm and the clipping by hand, on lists of tensors

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
    mine = list(model.parameters())
    stepped = [p for group in optimizer.param_groups for p in group["params"]]
    for p in mine + stepped:
        p.grad = None
    with ExitStack() as stack:
        if dtype is not torch.float32:
            stack.enter_context(torch.autocast(mine[0].device.type, dtype))
        loss = loss_of(model, batch)
    torch.autograd.backward([scaler.scale(loss)])
    scaler.unscale_(optimizer)
    known = {id(p) for p in stepped}
    strangers = [p.grad for p in mine if p.grad is not None and id(p) not in known]  # the scaler does not know them
    if strangers:
        torch._foreach_div_(strangers, scaler.get_scale())
    with torch.no_grad():
        gradients = [p.grad for p in mine if p.grad is not None]
        lengths = torch.stack([torch.linalg.vector_norm(g) for g in gradients])
        norm = torch.linalg.vector_norm(lengths)
        factor = torch.minimum(max_norm / norm.clamp(min=torch.finfo(norm.dtype).tiny), torch.ones_like(norm))
        for g in gradients:
            g.copy_(g * factor)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: the loss function wrapped in autocast, torch's two halves of clipping

from contextlib import nullcontext


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    short = {torch.float32: lambda kind: nullcontext()}.get(dtype, lambda kind: torch.autocast(kind, dtype=dtype))

    def gradients():
        return (p.grad for p in model.parameters() if p.grad is not None)

    model.zero_grad(set_to_none=True)
    optimizer.zero_grad(set_to_none=True)
    with short(next(model.parameters()).device.type):
        loss = loss_of(model, batch)
    scaled = scaler.scale(loss)
    scaled.backward()
    result = [loss.detach().clone()]
    del loss, scaled
    scaler.unscale_(optimizer)
    theirs = {id(p) for group in optimizer.param_groups for p in group["params"]}
    for p in model.parameters():
        if p.grad is not None and id(p) not in theirs:
            p.grad = p.grad / scaler.get_scale()
    result.append(nn.utils.get_total_norm(gradients(), norm_type=2.0))
    nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, result[1])
    scaler.step(optimizer)
    scaler.update()
    return result[0], result[1]
