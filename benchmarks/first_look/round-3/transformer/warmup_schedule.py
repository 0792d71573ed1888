# %% wrong: the larger of the two terms
# max stands where min should: the rate begins at its largest, falls, and later rises for ever.
# Breaks "rises in a line until step == warmup_steps, then falls". Hint: print the rate at steps 1, 4,000 and 100,000.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: nothing for step 0
# The formula as printed; at step 0 it takes 0 to the power -0.5 and raises ZeroDivisionError.
# Breaks "at step 0 the rate is 0". Hint: what does Python say to 0 ** -0.5?

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: step 0 is taken for step 1
# As in some well-known implementations, step 0 gets the rate of step 1 to avoid the division by zero.
# Breaks "at step 0 the rate is 0"; all other steps are right. Hint: what does the docstring say of step 0?

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: the peak does not depend on the warm-up
# The shape is right (line up, root down), but scaled so that the peak is d_model ** -0.5: a factor warmup_steps ** -0.5 is missing.
# Breaks the formula by a constant factor wherever warmup_steps is not 1. Hint: put step = warmup_steps into the formula.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = d_model**-0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (warmup_steps / step) ** 0.5


# %% correct: in two pieces, from the peak

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    if step < warmup_steps:
        return peak * (step / warmup_steps)
    return peak * math.sqrt(warmup_steps / step)
