# %% wrong: step 0 is treated as step 1
# max(step, 1) avoids the division by zero, but gives step 0 the rate of step 1, where it should be 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: a whole number at step 0
# `return 0` gives the right number as an int; a Python float is asked for, at step 0 too.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: the warm-up rises to d_model^-0.5
# In the warm-up the rate is the share of the steps done times d_model^-0.5: it lacks warmup_steps^-0.5. The rate is too high until warmup_steps and
# then falls at once (right only for a warm-up of one step).

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < warmup_steps:
        return d_model**-0.5 * step / warmup_steps
    return d_model**-0.5 * step**-0.5


# %% wrong: the power of the product
# (step * warmup_steps) ** -1.5 instead of step * warmup_steps ** -1.5: this falls where it should rise, is the smaller of the two at nearly every step,
# and divides by zero at step 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    rising = (step * warmup_steps) ** -1.5
    falling = step**-0.5
    return d_model**-0.5 * min(rising, falling)


# %% correct: measured from the peak

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = 1 / math.sqrt(d_model * warmup_steps)
    done = step / warmup_steps
    return peak * (done if done <= 1 else 1 / math.sqrt(done))


# %% correct: in logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return 0.0
    up = math.log(step) - 1.5 * math.log(warmup_steps)
    down = -math.log(step) / 2
    return math.exp(sorted((up, down))[0] - math.log(d_model) / 2)
