# %% wrong: minus three halves without parentheses
# warmup_steps**-3/2 is (warmup_steps**-3) / 2. Shows at every step of the warm-up (and after it, where the smaller
# line still wins).

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:

    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-3 / 2)


# %% wrong: the fall counted from the end of the warm-up
# After warmup_steps the root is taken of the steps since then. Shows at any step beyond warmup_steps + 1: far too
# large.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:

    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    since = step - warmup_steps
    return d_model**-0.5 * min(warmup_steps**-0.5, since**-0.5)


# %% wrong: an integer zero at step 0
# Returns the int 0 at step 0, where a Python float is asked for: isinstance(warmup_schedule(0, 512, 4000), float) is
# False.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:

    if step < 1:
        return 0
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: the line up to the root of d_model
# The line ends at d_model^-0.5, not at (d_model * warmup_steps)^-0.5, and the rate jumps down after it. Shows at every
# step from 1 to warmup_steps with warmup_steps above 1.

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:

    peak = d_model**-0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * step**-0.5


# %% correct: two cases with one square root

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:

    if step > warmup_steps:
        return 1 / math.sqrt(step * d_model)
    return (step / warmup_steps) / math.sqrt(warmup_steps * d_model)


# %% correct: in logarithms

def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:

    if not step:
        return 0.0
    rising = math.log(step) - 1.5 * math.log(warmup_steps)
    falling = -math.log(step) / 2
    lower = sorted((rising, falling))[0]
    return math.exp(lower - math.log(d_model) / 2)
