# %% wrong: forward differences
# Only the step forward was taken. That is a slope too, but its error shrinks with the step and not with the step's
# square. Step both ways. See section 0.6.

# --- before
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
# --- after
        slopes.append(float(function(x + nudge) - function(x)) / step)

# %% wrong: divided by one step
# Every slope is twice as large as it should be: x - step and x + step are two steps apart. See section 0.6.

# --- before
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
# --- after
        slopes.append(float(function(x + nudge) - function(x - nudge)) / step)

# %% wrong: all entries moved at once
# All entries of the result are the same: the whole of x was moved each time, which gives the sum of all slopes. Move
# one entry and leave the others. See section 0.6.

# --- before
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
# --- after
        slopes.append(float(function(x + step) - function(x - step)) / (2 * step))

# %% wrong: x stays moved
# x was moved and not put back, so later slopes were measured somewhere else. Put each entry back, or move a copy. See
# section 0.6.

def numerical_gradient(function, x, step=1e-3):
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        x.view(-1)[i] += step
        ahead = function(x)
        x.view(-1)[i] -= 2 * step
        behind = function(x)
        gradient.view(-1)[i] = (ahead - behind) / (2 * step)
    return gradient

# %% wrong: a flat gradient
# The slopes are right but lie in one long row. Give them the shape of x. See section 0.6.

# --- before
    return torch.tensor(slopes, dtype=x.dtype, device=x.device).reshape(x.shape)
# --- after
    return torch.tensor(slopes, dtype=x.dtype, device=x.device)

# %% wrong: the step is fixed
# The default step was used although another was passed. Use the argument. See section 0.6.

# --- before
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
# --- after
        slopes.append(float(function(x + nudge / step * 1e-3) - function(x - nudge / step * 1e-3)) / 2e-3)

# %% wrong: multiplied by the step
# Every slope is too small by a factor of step squared: `/ 2 * step` divides by 2 and then multiplies by step. Put the
# two in parentheses. See section 0.6.

# --- before
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
# --- after
        slopes.append(float(function(x + nudge) - function(x - nudge)) / 2 * step)

# %% wrong: the step rounded to float32
# The slopes are right to seven digits only. The nudge was made without asking for a dtype, so the step was rounded to
# float32 before it was added to x. Make the nudge in the dtype of x. See section 0.6.

# --- before
    nudges = step * torch.eye(x.numel(), dtype=x.dtype, device=x.device)
# --- after
    nudges = step * torch.eye(x.numel())

# %% wrong: no guard
# The slopes are right, but the stub's first lines, which raise ValueError, are gone. Put them back.

# --- before
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
# --- after

# %% correct: a copy in one piece, moved and put back
def numerical_gradient(function, x, step=1e-3):
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    flat = x.clone().flatten()
    gradient = torch.zeros_like(flat)
    for i in range(len(flat)):
        kept = flat[i].item()
        flat[i] = kept + step
        ahead = function(flat.reshape(x.shape))
        flat[i] = kept - step
        behind = function(flat.reshape(x.shape))
        flat[i] = kept
        gradient[i] = (ahead - behind) / (2 * step)
    return gradient.reshape(x.shape)

# %% correct: a clone for every entry
def numerical_gradient(function, x, step=1e-3):
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    gradient = torch.empty_like(x)
    for index in torch.cartesian_prod(*[torch.arange(n) for n in x.shape]).reshape(-1, x.dim()).tolist():
        up, down = x.clone(), x.clone()
        up[tuple(index)] += step
        down[tuple(index)] -= step
        gradient[tuple(index)] = (function(up) - function(down)) / (2 * step)
    return gradient

# %% correct: mean of forwards and backwards
# --- before
        slopes.append(float(function(x + nudge) - function(x - nudge)) / (2 * step))
# --- after
        slopes.append(float((function(x + nudge) - function(x)) / step + (function(x) - function(x - nudge)) / step) / 2)

# %% correct: one-hot vectors
def numerical_gradient(function, x, step=1e-3):
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    n = x.numel()
    slopes = []
    for i in range(n):
        e = torch.nn.functional.one_hot(torch.tensor(i), n).to(x).view_as(x)
        slopes.append((function(x + step * e) - function(x - step * e)) / 2 / step)
    return torch.stack(slopes).view_as(x)

# %% correct: numpy inside
def numerical_gradient(function, x, step=1e-3):
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")

    import numpy as np
    a = x.numpy().copy()
    g = np.zeros_like(a)
    for i in np.ndindex(a.shape):
        up, down = a.copy(), a.copy()
        up[i] += step
        down[i] -= step
        g[i] = (float(function(torch.from_numpy(up))) - float(function(torch.from_numpy(down)))) / (2 * step)
    return torch.from_numpy(g)
