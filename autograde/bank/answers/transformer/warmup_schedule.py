# %% wrong: step 0 divides by zero
# At step 0 the root of the step stands under a one. The docstring says what comes back there.

# --- before
    if step == 0:
        return 0.0
# --- after

# %% wrong: the larger of the two
# The rate starts huge and never falls as it should: of the two expressions the smaller one counts.

# --- before
        d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)
# --- after
        d_model^-0.5 * max(step^-0.5, step * warmup_steps^-1.5)
# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: steps are counted from 0
# Every rate is that of the next step: the highest comes one step early. Steps count from 1 here.

# --- before
    if step == 0:
        return 0.0
# --- after
    step = step + 1

# %% wrong: the root of d_model on top
# The rate was multiplied by the root of d_model and has to be divided by it.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return d_model**0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: no d_model
# The width of the model does not come in. The rate is divided by its root.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: the warm-up's exponent is -0.5
# The line rises too steeply: the two expressions have to meet at step == warmup_steps, where both are
# warmup_steps^-0.5.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-0.5)

# %% wrong: it stays at its height
# The way up is right; behind the warm-up the rate stays where it is. It falls with the root of the step.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return d_model**-0.5 * min(warmup_steps**-0.5, step * warmup_steps**-1.5)

# %% wrong: step 0 gets the rate of step 1
# Only step 0 is wrong: it was given the rate of step 1. The docstring says what comes back there.

# --- before
    if step == 0:
        return 0.0
# --- after
    step = max(step, 1)

# %% wrong: the peak is one
# The shape is right and the size is not: the highest rate is 1. It is (d_model * warmup_steps)^-0.5.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return min((step / warmup_steps)**-0.5, step / warmup_steps)

# %% wrong: the step is forgotten on the way up
# The rate does not rise: the second expression is the step times warmup_steps^-1.5.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return d_model**-0.5 * min(step**-0.5, warmup_steps**-1.5)

# %% wrong: it falls in a line
# The way up is right; then the rate falls in a line. It falls with the root of the step.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return (d_model * warmup_steps)**-0.5 * min(step / warmup_steps, max(0.0, 2 - step / warmup_steps))

# %% wrong: a rate of 1 at step 0
# At step 0 the rate is 1. The docstring says what comes back there.

# --- before
        return 0.0
# --- after
        return 1.0

# %% correct: two cases

def warmup_schedule(step, d_model, warmup_steps):
    if step < warmup_steps:
        return step / (d_model**0.5 * warmup_steps**1.5)
    return 1 / (d_model * step) ** 0.5

# %% correct: relative to the peak

def warmup_schedule(step, d_model, warmup_steps):
    peak = (d_model * warmup_steps) ** -0.5
    return peak * min(step / warmup_steps, (warmup_steps / max(step, 1)) ** 0.5)

# %% correct: no root of zero

def warmup_schedule(step, d_model, warmup_steps):
    if not step:
        return 0.0
    falling, rising = step ** (-1 / 2), step / warmup_steps ** (3 / 2)
    return (falling if falling < rising else rising) / d_model ** (1 / 2)
