# %% wrong: step 0 is taken for step 1
# max(step, 1) keeps 0 ** -0.5 from raising, but the rate at step 0 should be 0, and is that of step 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: an int at step 0
# `return 0` where a Python float is asked for "at step 0 too".

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))

# %% wrong: the top of the rise at 1
# The rise is step / warmup_steps and the fall sqrt(warmup_steps / step): the right form, sqrt(warmup_steps) times too
# high. Right only for warmup_steps = 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < warmup_steps:
        factor = step / warmup_steps
    else:
        factor = math.sqrt(warmup_steps / step)
    return d_model**-0.5 * factor

# %% wrong: the fall counts from the end of the warm-up
# After the warm-up the steps are counted from its end: right up to warmup_steps, then too high
# (at warmup_steps + 1 already, for warmup_steps of 1 too).

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * (step - warmup_steps) ** -0.5

# %% correct: by logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        return 0.0
    log_step, log_warmup = math.log(step), math.log(warmup_steps)
    return math.exp(min(-log_step, 2 * log_step - 3 * log_warmup) / 2 - math.log(d_model) / 2)

# %% correct: the top, and the share of it

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    top = 1.0 / math.sqrt(d_model * warmup_steps)
    progress_made = step / warmup_steps
    return top * progress_made if progress_made <= 1 else top / math.sqrt(progress_made)
