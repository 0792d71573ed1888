# %% wrong: a division by zero at the beginning
# 0 ** -0.5 raises ZeroDivisionError, and many loops begin at step 0. A good message: "at step 0 the rate is 0".

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: step 0 taken for step 1
# max(step, 1) hides the error, but the rate at 0 is that of step 1 and not 0; and max in place of min makes the rate fall from the start. A good message: "at step 0: expected 0.0"; "after the warm-up the rate must fall".

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return max(step**-0.5, step * warmup_steps**-1.5) / math.sqrt(d_model)

# %% wrong: one step late
# Steps are counted from 0 as in `for step in range(...)`, so 1 is added: every rate is that of the next step, and step 0 is not 0. A good message: "step 0: expected 0, got the rate of step 1; steps count from 1".

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step += 1
    return (d_model**-0.5) * min(step**-0.5, step * warmup_steps**-1.5)

# %% correct: one root of a maximum

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return (d_model * max(step, warmup_steps**3 / step**2)) ** -0.5 if step else 0.0
