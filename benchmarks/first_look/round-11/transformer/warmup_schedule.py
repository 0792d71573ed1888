# %% wrong: step 0 is taken for step 1
# The line of many implementations, max(step, 1), so that nothing is divided by zero. At step 0 the rate was
# to be 0, and is that of step 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: the line rises to one, not to the root
# step / warmup_steps in the place of step * warmup_steps^-1.5: the line meets the root far too early, so for
# warmup_steps = 4000 the largest rate is at step 252. Shows for any step from 1 below warmup_steps.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step / warmup_steps)


# %% wrong: a tensor instead of a number
# Computed in PyTorch and returned as a tensor (float32, seven digits). A Python float was asked for, whatever
# the step.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    count = torch.tensor(float(step))
    rate = torch.minimum(count.rsqrt(), count * warmup_steps**-1.5)  # at 0: min(inf, 0)
    return d_model**-0.5 * rate


# %% wrong: the fall counts its steps from the end of the warm-up
# Rises as it should, then falls with the root of the steps since the peak: at twice warmup_steps the rate is
# the peak over the root of warmup_steps + 1, not over the root of 2.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (step - warmup_steps + 1) ** -0.5


# %% correct: the later of the two steps, without a special case

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    # step^-0.5 = step * step^-1.5, so the smaller of the two has the larger of step and warmup_steps
    later = max(step, warmup_steps)
    return step / (later * math.sqrt(later) * math.sqrt(d_model))


# %% correct: two straight lines between logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    def log(n: int) -> float:
        return math.log(n) if n else -math.inf

    falling = -0.5 * log(step)
    rising = log(step) - 1.5 * log(warmup_steps)
    return math.exp(sorted((falling, rising))[0] - 0.5 * log(d_model))
