# %% wrong: clipped before the scale is gone
# The gradients that were clipped still had the scaler's scale in them, so the threshold was reached that much sooner.
# Tell the scaler to unscale them first, then clip: otherwise it does so only when it steps. See section 9.4.

# --- before
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)

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

# %% wrong: the scaled norm comes back
# The norm that came back was measured while the scale was in the gradients. Measure after the scale is gone. See
# section 9.4.

# --- before
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    scaler.unscale_(optimizer)
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

# --- before
    scaler.step(optimizer)
    scaler.update()
# --- after
    scaler.update()
    scaler.step(optimizer)

# %% wrong: unscaled by hand
# The gradients were divided by the scale twice: here, and by the scaler when it stepped, since nobody had told it that
# the scale was gone. Let the scaler take it away, then it knows. See section 9.4.

# --- before
    scaler.unscale_(optimizer)
# --- after
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= scaler.get_scale()

# %% wrong: the loss comes back with its graph
# A graph hangs on the loss that came back, so whoever keeps the losses keeps every step's graph. Detach it. See
# section 9.4.

# --- before
    return loss.detach(), norm
# --- after
    return loss, norm

# %% wrong: evaluation mode
# The model computed in evaluation mode, in which dropout does nothing: this is a step of training. Leave its mode as
# it is. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after
    optimizer.zero_grad()
    model.eval()

# %% wrong: gradients not cleared
# Gradients from before were added to these. Clear them before the backward pass. See section 9.4.

# --- before
    optimizer.zero_grad()
# --- after

# %% wrong: no autocast
# The model computed in float32 whatever dtype was asked for. Let loss_of run under autocast to that dtype, on the kind
# of device that the model's parameters are on. See section 9.4.

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    if True:

# %% wrong: autocast for the CPU, wherever the model is
# On a GPU nothing is cast: autocast was asked for on the CPU. Ask for it on the model's device. See section 9.4.

# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    with torch.autocast("cpu", dtype=dtype, enabled=dtype != torch.float32):

# %% wrong: the loss is not scaled
# The backward pass started from the plain loss, and then the gradients were divided by the scale: the step was that
# much too small. Start it from what the scaler makes of the loss. See section 9.4.

# --- before
    scaler.scale(loss).backward()
# --- after
    scaler.scale(loss)
    loss.backward()

# %% wrong: numbers instead of tensors
# To read a number off a GPU the program has to wait for it, at every step. Return the tensors; whoever wants a number
# can ask for it now and then. See section 9.4.

# --- before
    return loss.detach(), norm
# --- after
    return loss.item(), norm.item()

# %% wrong: the loss is looked at
# A test of the loss, such as isfinite or a comparison, reads a number, and for that the program waits for the GPU. The
# scaler leaves such a step out itself. See section 9.4.

# --- before
    scaler.scale(loss).backward()
# --- after
    if not torch.isfinite(loss):
        return loss.detach(), loss.detach()
    scaler.scale(loss).backward()

# %% correct: norm and clipping by hand
# --- before
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
# --- after
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.cat([g.flatten() for g in gradients]))
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)

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

# %% correct: a null context
# --- before
    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):
# --- after
    from contextlib import nullcontext
    with nullcontext() if dtype is torch.float32 else torch.autocast(device.type, dtype):
