# %% wrong: the gradients are cleared after the step
# zero_grad comes last. What stood in .grad before the first call is added to its gradients: shows where a backward
# pass came before, with the scaler switched off (a scale of 65,536 makes the rest too small to see, unless it had
# been scaled as well).


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


# %% wrong: clipped only with the scaler on
# Unscaling and clipping stand in one branch, so with a scaler that is switched off nothing is clipped. Shows with
# enabled=False and gradients longer than max_norm.


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
    device = next(model.parameters()).device.type
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    if scaler.is_enabled():
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.stack([g.norm() for g in gradients]).norm()
        optimizer.step()
    return loss.detach(), norm


# %% wrong: each parameter is clipped by itself
# max_norm is meant for all parameters together; here every tensor may have that norm. Shows with two parameters or
# more, where the whole norm is above max_norm.


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
    device = next(model.parameters()).device.type
    with torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norms = [nn.utils.clip_grad_norm_([p], max_norm) for p in model.parameters()]
    norm = torch.linalg.vector_norm(torch.stack(norms))
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% wrong: autocast for CUDA, wherever the model is
# The device type is written out. On a CPU torch.autocast("cuda") does nothing there, so with dtype=torch.bfloat16 the
# products stay in float32. (Right on a GPU.)


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


# %% correct: gradients asked for, put in place, and clipped by hand


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    parameters = [p for p in model.parameters() if p.requires_grad]
    device = next(model.parameters()).device
    with torch.autocast(device.type, dtype=dtype, enabled=dtype is not torch.float32):
        loss = loss_of(model, batch)
    optimizer.zero_grad(set_to_none=True)
    found = torch.autograd.grad(scaler.scale(loss), parameters, allow_unused=True)
    for p, gradient in zip(parameters, found, strict=True):
        # a copy, since one tensor may stand for the gradients of two parameters
        p.grad = None if gradient is None else gradient.clone()
    scaler.unscale_(optimizer)
    with torch.no_grad():
        present = [p.grad for p in parameters if p.grad is not None]
        squares = [g.float().square().sum() if g.dtype != torch.float64 else g.square().sum() for g in present]
        norm = sum(squares, torch.zeros((), device=device)).sqrt()
        factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
        for g in present:
            g.mul_(factor.to(g.dtype))
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm


# %% correct: each stage a line of a list


def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    from contextlib import ExitStack

    results = {}

    def forward() -> None:
        with ExitStack() as stack:
            if dtype != torch.float32:
                kind = next(iter(model.parameters())).device.type
                stack.enter_context(torch.autocast(device_type=kind, dtype=dtype))
            results["loss"] = loss_of(model, batch)

    def forget() -> None:
        for p in model.parameters():
            p.grad = None

    def clip() -> None:
        results["norm"] = nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)

    for stage in (
        forward,
        forget,
        lambda: scaler.scale(results["loss"]).backward(),
        lambda: scaler.unscale_(optimizer),
        clip,
        lambda: scaler.step(optimizer),
        scaler.update,
    ):
        stage()
    return results["loss"].detach(), results["norm"].detach()
