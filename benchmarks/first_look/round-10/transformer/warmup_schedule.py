# %% wrong: counts from zero
# Adds one to every step so that step 0 does not divide by zero: the rate at step s is that of s + 1, and at 0 it is not 0.
# Shows for every step, e.g. (0, 512, 4000) and (1, 512, 4000).

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: step 0 is taken for step 1
# The usual repair of the division by zero: at step 0 it gives the rate of step 1; the docstring says 0. Shows at step 0 only.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: a power that ends at the slash
# warmup_steps**-3 / 2 is half of warmup_steps to the -3: the rise is far too small. Shows for 0 < step <= warmup_steps (for
# warmup_steps = 1 too: half the rate at step 1), and for some steps behind.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    rise = step * warmup_steps**-3 / 2
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, rise)


# %% wrong: nothing at the peak
# Two cases, below and above, and none for step == warmup_steps: returns 0.0 exactly there, where the rate is the largest.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    rate = 0.0
    if 0 < step < warmup_steps:
        rate = step * warmup_steps**-1.5
    elif step > warmup_steps:
        rate = step**-0.5
    return rate * d_model**-0.5


# %% correct: one root, no minimum of two
# step / max(step, warmup_steps)^1.5 is both lines at once.
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    return step / math.sqrt(d_model * max(step, warmup_steps) ** 3)


# %% correct: in logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    falling = -math.log(step) / 2
    rising = math.log(step) - 3 * math.log(warmup_steps) / 2
    return math.exp(sorted((falling, rising))[0] - math.log(d_model) / 2)
