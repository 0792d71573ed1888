# %% wrong: max
# max for min: largest at both ends, wrong at each step but warmup_steps.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: step 0 as step 1
# At step 0 the rate of step 1, not 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: an integer zero
# At step 0 the int 0 is returned, not a float.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: warm-up to one
# The rise is step / warmup_steps, without the root of the peak: wrong for warmup_steps above 1 before it.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < warmup_steps:
        return d_model**-0.5 * step / warmup_steps
    return (d_model * step) ** -0.5

# %% correct: two branches

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step > warmup_steps:
        return 1 / math.sqrt(d_model * step)
    return step / (warmup_steps * math.sqrt(warmup_steps * d_model))

# %% correct: a share of the peak

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = (d_model * warmup_steps) ** -0.5
    share = step / warmup_steps
    return float(peak * (share if share <= 1 else share**-0.5))

