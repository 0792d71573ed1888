# %% wrong: step 0 divides by zero
# At step 0 the formula divides by the root of 0. The docstring says what the rate is there.

# --- before
    if step == 0:
        return 0.0
# --- after

# %% wrong: step 0 is taken for step 1
# All rates are right but the first: at step 0 the docstring asks for a rate of 0, not for that of step 1.

# --- before
        return 0.0
# --- after
        step = 1

# %% wrong: the larger of the two
# The rate starts huge and never falls as it should: of the two expressions the smaller one counts.

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
# The way up is right, but after the warm-up the rate stays where it is. It falls with the root of the step.

# --- before
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
# --- after
    return d_model**-0.5 * min(warmup_steps**-0.5, step * warmup_steps**-1.5)

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
