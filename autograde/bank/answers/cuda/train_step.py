# %% wrong: clipped before the scale is gone
# The gradients that were clipped still had the scaler's scale in them, so the threshold was reached that much sooner.
# Ask the scaler to take it away first, then clip: by itself it does so only when it steps. See section 9.4.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    """One step of training in mixed precision (Micikevicius et al., 2018).

    loss_of: a function (model, batch) -> the mean loss, a scalar. It runs under autocast to
    dtype on the device of the model's parameters; torch.float32 means without autocast. A model
    in training mode stays in it.
    The loss times the scaler's scale is what backward starts from. The gradients are divided by
    the scale again, then clipped to a norm of max_norm over all parameters together; then the
    scaler lets the optimizer step (it leaves the step out where a gradient is infinite or NaN)
    and adapts its scale. With a scaler that is switched off all is the same, but for the scale.
    Gradients left from earlier steps do not count.
    Returns the loss, not scaled and without a graph, and the norm of the gradients, not scaled
    and before clipping: both tensors, and no number is read off the loss, since reading a
    number off a GPU would wait for it.
    """
    device = next(model.parameters()).device
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)  # the threshold is about true gradients, so first the scale goes
    scaler.step(optimizer)
    scaler.update()
    return loss.detach(), norm

# %% wrong: nothing clipped
# The gradients were measured, but a gradient longer than max_norm was used as it was. Clip at max_norm. See section
# 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))

# %% wrong: every parameter clipped by itself
# Each parameter's gradient was cut to max_norm, which turns the direction of the step. The norm is that of all
# parameters together, and all are shortened by one factor. See section 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    for parameter in model.parameters():
        nn.utils.clip_grad_norm_([parameter], max_norm)

# %% wrong: values clipped, not the norm
# Every entry was cut to max_norm, which turns the direction of the step. The norm of all gradients together is to be
# cut, and all of them shortened by one factor. See section 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    nn.utils.clip_grad_value_(model.parameters(), max_norm)

# %% wrong: the norm after clipping
# The norm that came back is never above max_norm, so it tells nothing about the gradients. Return the one that was
# measured before clipping. See section 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])

# %% wrong: the scaled norm comes back
# The norm that came back was measured while the scale was in the gradients. Measure after the scale is gone. See
# section 9.4.

# --- before
    scaler.scale(loss).backward()
# --- after
    scaler.scale(loss).backward()
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)

# %% wrong: the optimizer steps by itself
# The optimizer was asked to step directly, so a gradient that had become infinite went into the weights. Let the
# scaler do it: it leaves such a step out. See section 9.4.

# --- before
    scaler.step(optimizer)
# --- after
    optimizer.step()

# %% wrong: the scaler is not updated
# The scale is the same whatever happens, and this scaler will not know that a step is over. Ask it to update after the
# step. See section 9.4.

# --- before
    scaler.update()
# --- after

# %% wrong: the scaler updated before the step
# The update ends a step for the scaler: it forgot that the scale was gone from these gradients, and when it stepped it
# divided by the scale once more. First the step, then the update. See section 9.4.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    """One step of training in mixed precision (Micikevicius et al., 2018).

    loss_of: a function (model, batch) -> the mean loss, a scalar. It runs under autocast to
    dtype on the device of the model's parameters; torch.float32 means without autocast. A model
    in training mode stays in it.
    The loss times the scaler's scale is what backward starts from. The gradients are divided by
    the scale again, then clipped to a norm of max_norm over all parameters together; then the
    scaler lets the optimizer step (it leaves the step out where a gradient is infinite or NaN)
    and adapts its scale. With a scaler that is switched off all is the same, but for the scale.
    Gradients left from earlier steps do not count.
    Returns the loss, not scaled and without a graph, and the norm of the gradients, not scaled
    and before clipping: both tensors, and no number is read off the loss, since reading a
    number off a GPU would wait for it.
    """
    device = next(model.parameters()).device
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)  # the threshold is about true gradients, so first the scale goes
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.update()
    scaler.step(optimizer)
    return loss.detach(), norm

# %% wrong: unscaled by hand
# The gradients were divided by the scale twice: here, and by the scaler when it stepped, since nobody had told it that
# the scale was gone. Let the scaler take it away, then it knows. See section 9.4.

# --- before
    scaler.unscale_(optimizer)  # the threshold is about true gradients, so first the scale goes
# --- after
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= scaler.get_scale()

# %% wrong: unscaled and clipped after the step
# The scale was taken away and the gradients clipped after the scaler had stepped, when it is too late for both.
# Unscale, clip, and then step. See section 9.4.

def train_step(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batch: Any,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    """One step of training in mixed precision (Micikevicius et al., 2018).

    loss_of: a function (model, batch) -> the mean loss, a scalar. It runs under autocast to
    dtype on the device of the model's parameters; torch.float32 means without autocast. A model
    in training mode stays in it.
    The loss times the scaler's scale is what backward starts from. The gradients are divided by
    the scale again, then clipped to a norm of max_norm over all parameters together; then the
    scaler lets the optimizer step (it leaves the step out where a gradient is infinite or NaN)
    and adapts its scale. With a scaler that is switched off all is the same, but for the scale.
    Gradients left from earlier steps do not count.
    Returns the loss, not scaled and without a graph, and the norm of the gradients, not scaled
    and before clipping: both tensors, and no number is read off the loss, since reading a
    number off a GPU would wait for it.
    """
    device = next(model.parameters()).device
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.unscale_(optimizer)  # the threshold is about true gradients, so first the scale goes
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.update()
    return loss.detach(), norm

# %% wrong: the gradients cleared before they are unscaled
# The gradients were taken away between the backward pass and the step, so the scaler found none. Clear them before the
# backward pass. See section 9.4.

# --- before
    scaler.scale(loss).backward()
# --- after
    scaler.scale(loss).backward()
    optimizer.zero_grad()

# %% wrong: nothing clipped with a scaler that is switched off
# With a scaler that is switched off, as for float32 and bfloat16, long gradients were used as they were. The threshold
# holds in every case. See section 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm if scaler.is_enabled() else float("inf"))

# %% wrong: the loss comes back with its graph
# A graph hangs on the loss that came back, so whoever keeps the losses keeps every step's graph. Detach it. See
# section 9.4.

# --- before
    return loss.detach(), norm
# --- after
    return loss, norm

# %% wrong: a number read off the loss, and wrapped up again
# The loss is a tensor again, but on the way it was read as a number, and for that the program waits for the device at
# every step. Detach it and leave it where it is. See section 9.4.

# --- before
    return loss.detach(), norm
# --- after
    return torch.tensor(loss.item()), norm

# %% wrong: evaluation mode
# The model computed in evaluation mode, in which dropout does nothing: this is a step of training. Leave its mode as
# it is. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after
    optimizer.zero_grad()
    model.eval()

# %% wrong: always cut to max_norm
# Every gradient was made max_norm long, short ones too. Only a longer one is cut. See section 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    for parameter in model.parameters():
        parameter.grad *= max_norm / norm

# %% wrong: the model made bfloat16 in place of autocast
# The weights themselves were rounded to the dtype, and what training adds to them is lost in the rounding. Autocast
# makes rounded copies for the products and leaves the weights in float32. See section 9.4.

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
# --- after
    loss = loss_of(model.to(dtype), batch)
    model.float()

# %% wrong: gradients not cleared
# Gradients from before were added to these. Clear them before the backward pass. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after

# %% wrong: gradients cleared after the backward pass
# The gradients were cleared between the backward pass and the step, so nothing was left to step along. Clear them
# before the backward pass. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after
# --- before
    scaler.scale(loss).backward()
# --- after
    scaler.scale(loss).backward()
    for parameter in model.parameters():
        parameter.grad.zero_()

# %% wrong: gradients cleared at the end only
# What stood in the gradients before the first call was added to its own. Clear them before the backward pass, rather
# than after the step. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after
# --- before
    scaler.update()
# --- after
    scaler.update()
    optimizer.zero_grad()

# %% wrong: no autocast
# The model computed in float32 whatever dtype was asked for. Let loss_of run under autocast to that dtype, on the kind
# of device that the model's parameters are on. See section 9.4.

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    if True:

# %% wrong: always bfloat16
# The model computed in bfloat16 whatever was asked for. Hand the dtype on, and leave autocast off for float32. See
# section 9.4.

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    with torch.autocast(device.type, dtype=torch.bfloat16):

# %% wrong: the dtype is not handed on
# Autocast chose its own dtype, which is bfloat16 on a CPU. Hand on the one that was asked for. See section 9.4.

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    with torch.autocast(device.type, enabled=dtype != torch.float32):

# %% wrong: the loss is not scaled
# The backward pass started from the plain loss, and then the gradients were divided by the scale: the step was that
# much too small. Start it from what the scaler makes of the loss. See section 9.4.

# --- before
    scaler.scale(loss).backward()
# --- after
    scaler.scale(loss)
    loss.backward()

# %% wrong: the scaled loss comes back
# The loss that came back has the scaler's scale in it, which changes as training goes on. Keep the plain loss for the
# return. See section 9.4.

# --- before
    scaler.scale(loss).backward()
# --- after
    loss = scaler.scale(loss)
    loss.backward()

# %% wrong: numbers instead of tensors
# To read a number off a GPU the program has to wait for it, at every step. Return the tensors; whoever wants a number
# can ask for it now and then. See section 9.4.

# --- before
    return loss.detach(), norm
# --- after
    return loss.item(), norm.item()

# %% wrong: a scaler of its own
# A new scaler was made in every step, and the one that was given learns nothing: its scale neither falls nor rises.
# Use the one that was given. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after
    optimizer.zero_grad()
    scaler = torch.amp.GradScaler("cpu")

# %% wrong: the threshold multiplied by the scale
# The scale was gone already when the threshold was multiplied by it, so hardly anything is clipped. One of the two is
# enough. See section 9.4.

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm * scaler.get_scale())

# %% correct: norm and clipping by hand

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.cat([g.flatten() for g in gradients]))
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)

# %% correct: the model clears its gradients, to zeros

# --- before
    optimizer.zero_grad()
# --- after
    model.zero_grad(set_to_none=False)

# %% correct: cleared just before the backward pass

# --- before
    optimizer.zero_grad()
# --- after
# --- before
        loss = loss_of(model, batch)
# --- after
        loss = loss_of(model, batch)
    optimizer.zero_grad()

# %% correct: with or without, by an if

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
        loss = loss_of(model, batch)
# --- after
    if dtype == torch.float32:
        loss = loss_of(model, batch)
    else:
        with torch.autocast(device_type=device.type, dtype=dtype):
            loss = loss_of(model, batch)

# %% correct: measured and clipped in two calls

# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.get_total_norm(p.grad for p in model.parameters() if p.grad is not None)
    nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, norm)

# %% correct: gradients by torch.autograd.grad

# --- before
    scaler.scale(loss).backward()
# --- after
    parameters = list(model.parameters())
    gradients = torch.autograd.grad(scaler.scale(loss), parameters, allow_unused=True)
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient

# %% correct: the mode set to training

# --- before
    device = next(model.parameters()).device
# --- after
    device = next(model.parameters()).device
    model.train()

# %% correct: a null context

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    from contextlib import nullcontext
    with nullcontext() if dtype is torch.float32 else torch.autocast(device.type, dtype):
