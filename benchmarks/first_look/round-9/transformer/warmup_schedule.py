# %% wrong: nothing is done about step 0
# 0 ** -0.5 raises a ZeroDivisionError.
# Shows at step 0, where the rate should be 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: step 0 is taken for step 1
# The usual repair of the division by zero: at step 0 the rate is that of step 1, and not 0.
# Shows at step 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: the last factor outside of the minimum
# A bracket is closed too early: warmup_steps^-1.5 multiplies both, so the rate falls from step 1 on.
# Shows at every step from 2 on, with warmup_steps above 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step) * warmup_steps**-1.5


# %% wrong: the fall is counted from the end of the warm-up
# Behind the peak the rate is the peak's over the root of the steps since then, and not step^-0.5.
# Shows behind the peak, such as at step 20 with warmup_steps 10.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (step - warmup_steps) ** -0.5


# %% correct: one fraction without a minimum

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    later = max(step, warmup_steps)
    return step / (later * math.sqrt(d_model * later))


# %% correct: in logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        return 0.0
    log_step, log_warmup = math.log(step), math.log(warmup_steps)
    exponent = sorted((-log_step / 2, log_step - 1.5 * log_warmup))[0]
    return math.exp(exponent - math.log(d_model) / 2)
