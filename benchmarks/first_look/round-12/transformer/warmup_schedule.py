# %% wrong: nothing for step 0
# The formula as it stands: 0 to the power -0.5 is a division by zero.
# Shows at step 0: a ZeroDivisionError where the rate should be 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: step 0 made a step 1
# The usual way round the division by zero gives step 0 the rate of step 1.
# Shows at step 0, where the rate should be 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: up to the full rate
# The rise goes to d_model^-0.5, as if warm-up were a factor from 0 to 1, and then the rate drops to the root's.
# Shows at any step from 1 to warmup_steps - 1, with warmup_steps above 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < warmup_steps:
        return d_model**-0.5 * step / warmup_steps
    return d_model**-0.5 * step**-0.5

# %% wrong: a tensor
# Computed in torch, where 0 to the power -0.5 is inf and needs no special case; but what comes back is a tensor.
# Shows for every input: the result is not a Python float (and has float32's digits).

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    t = torch.tensor(float(step))
    return d_model**-0.5 * torch.minimum(t**-0.5, t * warmup_steps**-1.5)

# %% correct: from the peak

# The largest rate, reached at warmup_steps, times how far below it the step is on either side.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    peak = 1 / math.sqrt(d_model * warmup_steps)
    through = step / warmup_steps
    return peak * through if through <= 1 else peak / math.sqrt(through)

# %% correct: logarithms

# Powers become products: the smaller of two exponents, and one exponential at the end.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return 0.0
    log_step, log_warm = math.log(step), math.log(warmup_steps)
    exponent = min(-0.5 * log_step, log_step - 1.5 * log_warm)
    return math.exp(exponent - 0.5 * math.log(d_model))
