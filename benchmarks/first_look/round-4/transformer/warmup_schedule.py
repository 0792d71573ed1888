# %% wrong: step 0 treated as step 1
# So that nothing is divided by zero, a step of 0 becomes 1: the rate there is that of step 1 instead of 0.
# Hint: which rate does the docstring promise at step 0?

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: a power of minus one, divided by two
# Powers are taken before divisions: d_model ** -1 / 2 is (1 / d_model) / 2. The shape of the curve is right, all rates are
# too small. (In the other two powers the brackets are there.)
# Hint: print 4 ** -1 / 2. Where do brackets belong?

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model ** -1 / 2 * min(step ** (-1 / 2), step * warmup_steps ** (-3 / 2))


# %% wrong: an error at step 0
# The formula as it stands: 0 to the power -0.5 is a ZeroDivisionError in Python. From step 1 on it is right.
# Hint: call it with step 0, where many loops begin.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    rising = step * warmup_steps**-1.5
    falling = step**-0.5
    return d_model**-0.5 * min(rising, falling)


# %% wrong: a rise to one
# The line rises as step / warmup_steps, which reaches 1 at the end of the warm-up, where the falling branch is at
# warmup_steps ** -0.5: the two meet far too early, and at a much larger rate.
# Hint: what are the two terms of the min at step == warmup_steps? They should be equal there.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step / warmup_steps)


# %% correct: two branches

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= warmup_steps:
        factor = step / (warmup_steps * math.sqrt(warmup_steps))
    else:
        factor = 1 / math.sqrt(step)
    return factor / math.sqrt(d_model)


# %% correct: the peak times a share of it

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return 0.0
    peak = (d_model * warmup_steps) ** -0.5
    progress_made = step / warmup_steps
    return peak * min(progress_made, progress_made**-0.5)
