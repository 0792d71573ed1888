# %% wrong: step 0 divides by zero
# 0 ** -0.5 raises ZeroDivisionError; asked is a rate of 0 at step 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: step 0 is taken for step 1
# max(step, 1) keeps step 0 from raising and gives it the rate of step 1 in place of 0.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: steps are counted from 0
# One is added so that step 0 does not raise: every rate is that of the next step, the largest comes at
# warmup_steps - 1, and step 0 is not 0. Shows at every step.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    s = step + 1
    scale = 1 / math.sqrt(d_model)
    return scale * min(1 / math.sqrt(s), s / warmup_steps**1.5)

# %% wrong: the fall begins anew behind the warm-up
# The rise is right; the fall takes the root of the steps since the warm-up, so the rate jumps up behind
# warmup_steps. Shows at every step > warmup_steps.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * (step - warmup_steps) ** -0.5

# %% correct: the peak, and a share of it

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    if step < warmup_steps:
        return peak * (step / warmup_steps)
    return peak * math.sqrt(warmup_steps / step)

# %% correct: one root of the larger square

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step:
        return 0.0
    slowest = max(step, warmup_steps * (warmup_steps / step) ** 2)
    return 1 / (math.sqrt(d_model) * math.sqrt(slowest))
